using System.IO.Compression;
using System.Net;
using System.Text;
using System.Text.Json;
using Quayside.Messaging.Http.Source;
using Quayside.Pipeline.Buffers;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Http.Source;

/// <summary>Bodies as other systems send them: compressed, as a sequence, several in one, and the handshakes before them.</summary>
public sealed class EncodedBodyTests
{
    [Theory]
    [InlineData("gzip")]
    [InlineData("x-gzip")]
    [InlineData("GZIP")]
    [InlineData("deflate")]
    public async Task Post_CompressedMessage_IsStoredDecoded(string coding)
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync();
        host.Intake.Script = _ => Settlement.Complete;
        string text = $"{{\"a\":\"{new string('x', 100_000)}\"}}";

        using HttpResponseMessage response = await host.Client.PostAsync("/messages", Encoded(coding, text, null));

        response.StatusCode.ShouldBe(HttpStatusCode.OK);
        host.Intake.Accepted.ShouldBe(1);
        using HttpResponseMessage plain = await host.Client.PostAsync("/messages", new StringContent(text));
        (await SingleMessageRequestTests.JsonAsync(response))
            .GetProperty("id")
            .GetString()
            .ShouldBe((await SingleMessageRequestTests.JsonAsync(plain)).GetProperty("id").GetString(), "The id is that of the decoded bytes.");
        await host.FinishAsync();
    }

    [Theory]
    [InlineData("gzip, identity", "gzip", 200)]
    [InlineData("identity, gzip", "gzip", 200)]
    [InlineData("identity", null, 200)]
    [InlineData("identity,identity", null, 200)]
    [InlineData("", null, 200)]
    [InlineData("gzip, deflate", "gzip", 415)]
    [InlineData("UTF-8", null, 415)]
    [InlineData("gzip, utf-8", "gzip", 415)]
    public async Task Post_ContentEncoding_IdentityIsNoCodingAndNorIsACharset(string header, string? coding, int status)
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync();
        host.Intake.Script = _ => Settlement.Complete;
        byte[] body = Encoding.UTF8.GetBytes("{\"a\":1}");
        using ByteArrayContent content = new(coding is null ? body : Compress(coding, "{\"a\":1}"));
        content.Headers.TryAddWithoutValidation("Content-Encoding", header);

        using HttpResponseMessage response = await host.Client.PostAsync("/messages", content);

        ((int)response.StatusCode).ShouldBe(status);
        host.Intake.Accepted.ShouldBe(status == 200 ? 1 : 0);
        if (status == 415)
        {
            (await SingleMessageRequestTests.JsonAsync(response)).GetProperty("message").GetString()!.ShouldContain(
                "A charset such as UTF-8 is no coding: name it in Content-Type.");
        }

        await host.FinishAsync();
    }

    [Theory]
    [InlineData("gzip")]
    [InlineData("deflate")]
    public async Task Post_CompressedLines_AreStoredDecoded(string coding)
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync();
        host.Intake.Script = _ => Settlement.Complete;
        string lines = string.Concat(Enumerable.Range(0, 5_000).Select(n => $"{{\"n\":{n}}}\n"));

        using HttpResponseMessage response = await host.Client.PostAsync("/messages", Encoded(coding, lines, "application/x-ndjson"));

        response.StatusCode.ShouldBe(HttpStatusCode.OK);
        host.Intake.Accepted.ShouldBe(5_000);
        (await SingleMessageRequestTests.JsonAsync(response)).GetProperty("results").GetArrayLength().ShouldBe(5_000);
        await host.FinishAsync();
    }

    [Fact]
    public async Task Post_CompressedBomb_Answers413()
    {
        await using HttpSourceHost host =
            await HttpSourceHost.StartAsync(options => (options.MaxMessageBytes, options.MaxRequestBytes) = (1_000_000, 2_000_000));
        host.Intake.Script = _ => Settlement.Complete;

        using HttpResponseMessage single = await host.Client.PostAsync("/messages", Encoded("gzip", new string('x', 1_000_001), null));
        single.StatusCode.ShouldBe(HttpStatusCode.RequestEntityTooLarge);
        (await SingleMessageRequestTests.JsonAsync(single)).GetProperty("error").GetString().ShouldBe("too-large");

        using HttpResponseMessage lines = await host.Client.PostAsync(
            "/messages", Encoded("gzip", string.Concat(Enumerable.Repeat(new string('x', 99) + "\n", 20_001)), "application/x-ndjson"));
        lines.StatusCode.ShouldBe(HttpStatusCode.RequestEntityTooLarge);
        (await SingleMessageRequestTests.JsonAsync(lines)).GetProperty("error").GetString().ShouldBe("request-too-large");
        await host.FinishAsync();
    }

    [Theory]
    [InlineData("gzip", null, false)]
    [InlineData("gzip", null, true)]
    [InlineData("deflate", null, false)]
    [InlineData("gzip", "application/x-ndjson", false)]
    [InlineData("gzip", "application/x-ndjson", true)]
    public async Task Post_DamagedEncoding_Answers422(string coding, string? type, bool isTruncated)
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync();
        host.Intake.Script = _ => Settlement.Complete;
        byte[] body = Compress(coding, "{\"n\":1}");
        using ByteArrayContent content = new(isTruncated ? body[..^9] : [.. Encoding.ASCII.GetBytes("{\"n\":1}")]);
        content.Headers.ContentEncoding.Add(coding);
        content.Headers.ContentType = type is null ? null : new(type);

        using HttpResponseMessage response = await host.Client.PostAsync("/messages", content);

        response.StatusCode.ShouldBe(HttpStatusCode.UnprocessableEntity);
        (await SingleMessageRequestTests.JsonAsync(response)).GetProperty("error").GetString().ShouldBe("encoding-damaged");
        host.Intake.Accepted.ShouldBe(0);
        await host.FinishAsync();
    }

    [Theory]
    [InlineData(null, 1)]
    [InlineData("application/x-ndjson", 3)]
    public async Task Post_GzipOfSeveralMembers_IsStoredDecoded(string? type, int accepted)
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync();
        host.Intake.Script = _ => Settlement.Complete;
        byte[][] members = [
            Compress("gzip", "{\"n\":1}\n{\"n\""), Compress("gzip", string.Empty),
            WithName(Compress("gzip", $":2}}\n{{\"n\":\"{new string('x', 100_000)}\"}}\n"))];
        using ByteArrayContent content = new([.. members.SelectMany(member => member)]);
        content.Headers.ContentEncoding.Add("gzip");
        content.Headers.ContentType = type is null ? null : new(type);

        using HttpResponseMessage response = await host.Client.PostAsync("/messages", content);

        response.StatusCode.ShouldBe(HttpStatusCode.OK);
        host.Intake.Accepted.ShouldBe(accepted);
        await host.FinishAsync();
    }

    [Fact]
    public void Decode_GzipOfSeveralMembers_IsWholeOnlyAtItsEnd()
    {
        byte[] first = Compress("gzip", "first");
        byte[] whole = [.. first, .. WithName(Compress("gzip", "second, and longer"))];
        for (int length = 1; length <= whole.Length; length++)
        {
            string? text = Decode(whole[..length]);
            text.ShouldBe(length == whole.Length ? "firstsecond, and longer" : length == first.Length ? "first" : null, $"{length} of {whole.Length} bytes");
        }

        Decode([.. whole, 0]).ShouldBeNull();
        Decode([.. whole, .. "{\"n\":1}"u8]).ShouldBeNull();
        byte[] wrongChecksum = [.. whole];
        wrongChecksum[^5] ^= 1;
        Decode(wrongChecksum).ShouldBeNull();
    }

    [Theory]
    [InlineData("br")]
    [InlineData("gzip, gzip")]
    [InlineData("zstd")]
    public async Task Post_OtherEncoding_Answers415WithThoseItAccepts(string coding)
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync();
        using ByteArrayContent content = new([1, 2, 3]);
        content.Headers.TryAddWithoutValidation("Content-Encoding", coding);

        using HttpResponseMessage response = await host.Client.PostAsync("/messages", content);

        response.StatusCode.ShouldBe(HttpStatusCode.UnsupportedMediaType);
        response.Headers.GetValues("Accept-Encoding").ShouldBe(["gzip, deflate"]);
        await host.FinishAsync();
    }

    [Theory]
    [InlineData("application/jsonl", "{\"n\":1}\n{\"n\":2}\n")]
    [InlineData("application/x-jsonlines; charset=utf-8", "{\"n\":1}\n{\"n\":2}")]
    public async Task Post_OtherBatches_EachTextIsAMessage(string type, string body)
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync();
        host.Intake.Script = _ => Settlement.Complete;
        using ByteArrayContent content = new(Encoding.UTF8.GetBytes(body));
        content.Headers.TryAddWithoutValidation("Content-Type", type);

        using HttpResponseMessage response = await host.Client.PostAsync("/messages", content);

        response.StatusCode.ShouldBe(HttpStatusCode.OK);
        host.Intake.Accepted.ShouldBe(2);
        JsonElement results = (await SingleMessageRequestTests.JsonAsync(response)).GetProperty("results");
        results.GetArrayLength().ShouldBe(2);
        results[0].GetProperty("line").GetInt32().ShouldBe(1);
        await host.FinishAsync();
    }

    [Theory]
    [InlineData("[{\"n\":1},{\"n\":2}]", "JSON array")]
    [InlineData("{\"n\":1}\n{\"n\":2}\n", "on a line of its own")]
    [InlineData("{\"n\":1}\r\n{\"n\":2}", "on a line of its own")]
    [InlineData("{\"n\":1}{\"n\":2}", "on a line of its own")]
    [InlineData("{\n\"n\":x\n}\n", null)]
    public async Task Post_SeveralMessagesAsOne_AreDeadLetteredWithAHint(string body, string? hint)
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync();
        host.Intake.Script = _ => Settlement.DeadLetter("malformed-json", "no");

        using HttpResponseMessage response = await host.Client.PostAsync("/messages", new StringContent(body, Encoding.UTF8, "application/json"));

        response.StatusCode.ShouldBe(HttpStatusCode.UnprocessableEntity);
        JsonElement json = await SingleMessageRequestTests.JsonAsync(response);
        json.TryGetProperty("hint", out JsonElement given).ShouldBe(hint is not null);
        if (hint is not null)
        {
            given.GetString()!.ShouldContain(hint);
            given.GetString()!.ShouldContain("application/x-ndjson");
        }

        await host.FinishAsync();
    }

    [Theory]
    [InlineData(true, "[{\"id\":\"1\",\"data\":{\"validationCode\":\"512d38b6\"},\"eventType\":\"Microsoft.EventGrid.SubscriptionValidationEvent\"}]", 200, 0)]
    [InlineData(true, "[]", 422, 0)]
    [InlineData(true, "{", 422, 0)]
    [InlineData(true, "[{\"data\":{\"validationCode\":1}}]", 422, 0)]
    [InlineData(true, "[{\"data\":{\"validationCode\":\"\\ud800\"}}]", 422, 0)]
    [InlineData(false, "[{\"data\":{\"validationCode\":\"512d38b6\"}}]", 200, 1)]
    public async Task Post_EventGridValidation_IsAnsweredWithItsCode(bool isSet, string body, int status, int accepted)
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(options => options.EventGridValidation = isSet);
        host.Intake.Script = _ => Settlement.Complete;
        using HttpRequestMessage request = new(HttpMethod.Post, "/messages") { Content = new StringContent(body, Encoding.UTF8, "application/json") };
        request.Headers.Add("aeg-event-type", "SubscriptionValidation");

        using HttpResponseMessage response = await host.Client.SendAsync(request);

        ((int)response.StatusCode).ShouldBe(status);
        host.Intake.Accepted.ShouldBe(accepted);
        if (isSet && status == 200)
        {
            (await response.Content.ReadAsStringAsync()).ShouldBe("{\"validationResponse\":\"512d38b6\"}");
        }

        await host.FinishAsync();
    }

    [Theory]
    [InlineData("eventgrid.azure.net", 200)]
    [InlineData("*", 200)]
    [InlineData("other.example.com", 405)]
    [InlineData(null, 405)]
    public async Task Options_WebhookValidation_IsAnsweredForAllowedOrigins(string? allowed, int status)
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(options => options.WebhookOrigins = allowed is null ? [] : [allowed]);
        using HttpRequestMessage request = new(HttpMethod.Options, "/messages");
        request.Headers.Add("WebHook-Request-Origin", "eventgrid.azure.net");
        request.Headers.Add("WebHook-Request-Rate", "120");

        using HttpResponseMessage response = await host.Client.SendAsync(request);

        ((int)response.StatusCode).ShouldBe(status);
        response.Headers.TryGetValues("WebHook-Allowed-Origin", out IEnumerable<string>? origins).ShouldBe(status == 200);
        if (status == 200)
        {
            origins.ShouldBe(["eventgrid.azure.net"]);
            response.Headers.GetValues("WebHook-Allowed-Rate").ShouldBe(["120"]);
        }

        await host.FinishAsync();
    }

    [Theory]
    [InlineData("ä.example.com", "120", 405, null)]
    [InlineData("a.example.com", "ä", 200, "*")]
    [InlineData("a.example.com", "120, 130", 200, "*")]
    public async Task Options_TextThatNoAnswerCanCarry_IsNotRepeated(string origin, string rate, int status, string? allowedRate)
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(options => options.WebhookOrigins = ["*"]);

        await using RawConnection connection = await host.ConnectAsync(string.Empty);
        await connection.SendAsync(
            Encoding.UTF8.GetBytes($"OPTIONS /messages HTTP/1.1\r\nHost: a\r\nWebHook-Request-Origin: {origin}\r\nWebHook-Request-Rate: {rate}\r\n\r\n"));
        RawAnswer answer = await connection.ReadAsync();

        answer.Status.ShouldBe(status);
        answer.Has($"WebHook-Allowed-Rate: {allowedRate}").ShouldBe(allowedRate is not null);
        await host.FinishAsync();
    }

    private static string? Decode(byte[] body)
    {
        using PooledBuffer encoded = new BufferPool().Rent();
        encoded.Append(body);
        using DecodedBody decoded = new("gzip", encoded);
        using MemoryStream content = new();
        byte[] piece = new byte[7];
        try
        {
            int read;
            while ((read = decoded.Read(piece)) > 0)
            {
                content.Write(piece.AsSpan(0, read));
            }

            return decoded.IsWhole() ? Encoding.UTF8.GetString(content.ToArray()) : null;
        }
        catch (InvalidDataException)
        {
            return null;
        }
    }

    // An extra field, a name and a comment.
    private static byte[] WithName(byte[] member) =>
        [.. member[..3], 4 + 8 + 16, .. member[4..10], 6, 0, .. "abcdef"u8, .. "name\0comment\0"u8, .. member[10..]];

    private static ByteArrayContent Encoded(string coding, string text, string? type)
    {
        ByteArrayContent content = new(Compress(coding, text));
        content.Headers.ContentEncoding.Add(coding);
        content.Headers.ContentType = type is null ? null : new(type);
        return content;
    }

    private static byte[] Compress(string coding, string text)
    {
        using MemoryStream compressed = new();
        using (Stream stream = coding switch
        {
            "deflate" => new ZLibStream(compressed, CompressionLevel.Fastest, leaveOpen: true),
            _ => new GZipStream(compressed, CompressionLevel.Fastest, leaveOpen: true),
        })
        {
            stream.Write(Encoding.UTF8.GetBytes(text));
        }

        return compressed.ToArray();
    }
}
