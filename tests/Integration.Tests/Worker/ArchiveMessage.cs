using System.Text;
using System.Text.Json;

namespace Integration.Tests.Worker;

/// <summary>A message for the archive handler and the object it must become under the default template.</summary>
/// <param name="Id">Lower-case letters, digits and dashes, so that the key shows it unchanged.</param>
/// <param name="Text">Its body; the bytes are its UTF-8.</param>
internal sealed record ArchiveMessage(string Id, string Text)
{
    /// <summary>The key, derived from the documented rule without the worker's code.</summary>
    public string Key => $"web_shop/north/page_visit/2026/01/31/10/{Id}.json";

    public byte[] Body => Encoding.UTF8.GetBytes(Text);

    /// <summary>Each message has its own length and text, with escapes and non-ASCII characters, so that any mix-up or changed byte shows.</summary>
    public static ArchiveMessage Create(string id, int payloadLength = 40)
    {
        string payload = $"é \\u00e9 \\\" {new string('x', payloadLength)} 漢 {id}";
        return new ArchiveMessage(id, $$"""
            {"EventDateUtc":"2026-01-31T10:20:30Z","Product":"Web Shop","SiteKey":"North","EventName":"Page Visit","MessageId":{{JsonSerializer.Serialize(id)}},"Payload":"{{payload}}"}
            """);
    }

    /// <summary>Messages of 40 B to 4 KB with distinct ids.</summary>
    public static ArchiveMessage[] CreateMany(string prefix, int count, int first = 0) =>
        [.. Enumerable.Range(first, count).Select(number => Create($"{prefix}-{number:d5}", 40 + (number * 37 % 4_000)))];
}
