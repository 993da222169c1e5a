using System.IO.Compression;
using System.Text;

namespace Messaging.Tests.Envelopes;

/// <summary>Envelopes that are recognised by their marks: a warning where the route names none.</summary>
public sealed class RecognitionTests
{
    private const string Message = """{"MessageId":"a"}""";

    /// <summary>The envelope, and a message in it, in Latin-1 for those with bytes.</summary>
    public static TheoryData<string, string> Marked => new()
    {
        { "Sns", """{"Type":"Notification","MessageId":"1","TopicArn":"t","Message":"{\"MessageId\":\"a\"}"}""" },
        { "EventBridge", """{"id":"1","detail-type":"t","source":"s","detail":{"MessageId":"a"}}""" },
        { "CloudEvents", """{"specversion":"1.0","id":"1","source":"s","type":"t","data":{"MessageId":"a"}}""" },
        { "Base64", Convert.ToBase64String(Gzip(Message)) },
        { "Gzip", Encoding.Latin1.GetString(Gzip(Message)) },
    };

    [Theory]
    [MemberData(nameof(Marked))]
    [InlineData("JsonArray", """[{"MessageId":"a"}]""")]
    [InlineData("JsonArray", "\r\n[ {\"MessageId\":\"a\"}, {}]")]
    [InlineData("JsonLines", "{\"MessageId\":\"a\"}\n{\"MessageId\":\"b\"}\n")]
    [InlineData("JsonLines", "{\"MessageId\":\"a\"}\r\n\r\n{\"MessageId\":\"b\"}")]
    public async Task Route_WithoutAnEnvelope_WarnsOnceAndNamesTheSetting(string envelope, string body)
    {
        await using TestWorker worker = await EnvelopeWorker.StartAsync(string.Empty, "Handlers:Archive:Template={EventName}/{MessageId}");

        await worker.SendAsync(Message);
        await worker.SendAsync(Encoding.Latin1.GetBytes(body));
        await worker.SendAsync(Encoding.Latin1.GetBytes(body));

        worker.Log.Entries.Where(entry => entry.Id.Id == 5401).ShouldHaveSingleItem().Text.ShouldContain($"set Routes:archive:Envelope={envelope} (");
    }

    [Fact]
    public async Task Route_MessagesThatLackNothingOrAreInNoEnvelope_DoesNotWarn()
    {
        await using TestWorker worker = await EnvelopeWorker.StartAsync(string.Empty, "Handlers:Archive:Template={EventName}/{MessageId}");

        await worker.SendAsync(Message);
        foreach (string malformed in (string[])["{", "[", "[1]", "[]", "{}\n", "{\n{}", "{}\n[]", "{},\n{}"])
        {
            await worker.SendAsync(malformed);
        }

        await worker.SendAsync("""{"MessageId":"b","EventName":"e","Type":"Notification","TopicArn":"t","Message":"m"}""");

        worker.Log.Entries.ShouldNotContain(entry => entry.Id.Id == 5401);
    }

    private static byte[] Gzip(string text) => FormatTests.Compressed(text, stream => new GZipStream(stream, CompressionLevel.Optimal));
}
