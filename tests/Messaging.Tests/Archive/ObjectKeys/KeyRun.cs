using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using Quayside.Messaging.Archive.Headers;
using Quayside.Messaging.Archive.ObjectKeys;
using Quayside.Pipeline.Buffers;

namespace Messaging.Tests.Archive.ObjectKeys;

/// <summary>Body to key as in the archive stage, with its own pools, to which every object must be returned.</summary>
internal static class KeyRun
{
    private static readonly JsonSerializerOptions Relaxed = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    public static KeyTemplate Compile(ArchiveOptions? options = null)
    {
        bool compiled = KeyTemplate.TryCompile(options ?? new ArchiveOptions(), out KeyTemplate? template, out var errors);
        compiled.ShouldBeTrue(string.Join('\n', errors));
        return template!;
    }

    /// <summary>The key of a body; fails when the body is poison.</summary>
    public static string Key(string json, string sourceId = "source-id", ArchiveOptions? options = null)
    {
        (string? key, Poison poison) = Run(Encoding.UTF8.GetBytes(json), Encoding.UTF8.GetBytes(sourceId), Compile(options));
        return key.ShouldNotBeNull(poison.ToString());
    }

    /// <summary>The key or the poison of a body.</summary>
    public static (string? Key, Poison Poison) Run(
        byte[] body,
        byte[] sourceId,
        KeyTemplate template,
        BodyValidation validation = BodyValidation.Full)
    {
        var pool = new BufferPool();
        var header = new ArchiveHeader(pool);
        byte[] before = [.. body];
        string? key = null;
        using (PooledBuffer buffer = pool.Rent(16))
        {
            if (template.CreateReader(validation).TryRead(body, header, out Poison poison)
                && template.TryWrite(header, sourceId, buffer, out poison))
            {
                key = Encoding.Latin1.GetString(buffer.WrittenSpan);
                buffer.Length.ShouldBeLessThanOrEqualTo(template.LongestKeyBytes);
            }
            else
            {
                buffer.Length.ShouldBe(0);
                poison.Reason.ShouldNotBeNull();
                poison.Position.ShouldBeInRange(0, body.Length);
            }

            header.Reset();
            body.AsSpan().SequenceEqual(before).ShouldBeTrue();
            buffer.Dispose();
            pool.Outstanding.ShouldBe(0);
            return (key, poison);
        }
    }

    /// <summary>A body with these properties, in their order.</summary>
    /// <param name="properties">Name and value; null is written as null.</param>
    /// <param name="escaped">Whether non-ASCII characters are written as escapes.</param>
    public static byte[] Body(IEnumerable<KeyValuePair<string, string?>> properties, bool escaped = false)
    {
        var texts = properties.Select(p => Quote(p.Key, escaped) + ":" + (p.Value is null ? "null" : Quote(p.Value, escaped)));
        return Encoding.UTF8.GetBytes("{" + string.Join(',', texts) + "}");
    }

    private static string Quote(string text, bool escaped) => JsonSerializer.Serialize(text, escaped ? JsonSerializerOptions.Default : Relaxed);
}
