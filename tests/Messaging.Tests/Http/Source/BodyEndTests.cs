using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Http.Source;

/// <summary>Every end of a body: only a body that arrived whole and was stored is answered with 200.</summary>
public sealed class BodyEndTests
{
    private const string Json = "application/json";
    private const string Ndjson = "application/x-ndjson";

    [Theory]
    [InlineData(Json, "Content-Length: 3\n\n{\"a", 200)]
    [InlineData(Json, "Transfer-Encoding: chunked\n\n3\n{\"a\n0\n\n", 200)]
    [InlineData(Json, "Content-Length: 0\n\n", 400)]
    [InlineData(Json, "Transfer-Encoding: chunked\n\n0\n\n", 400)]
    [InlineData(Json, "Content-Length: 101\n\n{\"a", 413)]
    [InlineData(
        Json, "Transfer-Encoding: chunked\n\n65\n0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789x\n", 413)]
    [InlineData(Json, "Content-Length: -1\n\n{\"a", 400)]
    [InlineData(Json, "Content-Length: three\n\n{\"a", 400)]
    [InlineData(Json, "Transfer-Encoding: chunked\n\nffffffff\n", 400)]
    [InlineData(Json, "Transfer-Encoding: chunked\n\n3\n{\"a\nffffffff\n", 400)]
    [InlineData(Json, "Transfer-Encoding: chunked\n\n3\n{\"a\n80000000\n", 400)]
    [InlineData(Json, "Transfer-Encoding: chunked\n\n3\n{\"a\nffffffffffffffffffff\n", 400)]
    [InlineData(Json, "Transfer-Encoding: chunked\n\n3\n{\"a\nzz\n", 400)]
    [InlineData(Json, "Transfer-Encoding: chunked\n\n3\n{\"abcd", 400)]
    [InlineData(Ndjson, "Content-Length: 3\n\n{\"a", 200)]
    [InlineData(Ndjson, "Transfer-Encoding: chunked\n\n3\n{\"a\n0\n\n", 200)]
    [InlineData(Ndjson, "Content-Length: 0\n\n", 400)]
    [InlineData(Ndjson, "Transfer-Encoding: chunked\n\n0\n\n", 400)]
    [InlineData(Ndjson, "Content-Length: 301\n\n{\"a", 413)]
    [InlineData(Ndjson, "Content-Length: -1\n\n{\"a", 400)]
    [InlineData(Ndjson, "Transfer-Encoding: chunked\n\nffffffff\n", 400)]
    [InlineData(Ndjson, "Transfer-Encoding: chunked\n\n3\n{\"a\nffffffff\n", 400)]
    [InlineData(Ndjson, "Transfer-Encoding: chunked\n\n3\n{\"a\nffffffffffffffffffff\n", 400)]
    [InlineData(Ndjson, "Transfer-Encoding: chunked\n\n3\n{\"a\nzz\n", 400)]
    [InlineData(Ndjson, "Transfer-Encoding: chunked\n\n3\n{\"abcd", 400)]
    public async Task Body_EachEnd_HasItsAnswer(string type, string rest, int status)
    {
        await using HttpSourceHost host = await StartAsync();
        await using RawConnection connection = await host.ConnectAsync($"POST /messages HTTP/1.1\nHost: x\nContent-Type: {type}\n{rest}");

        RawAnswer answer = await connection.ReadAsync();

        answer.Status.ShouldBe(status, answer.Headers);
        host.Intake.Accepted.ShouldBe(status == 200 ? 1 : 0);
        await host.FinishAsync();
    }

    [Theory]
    [InlineData("ffffffff\n", 400)]
    [InlineData("ffffffffffffffffffff\n", 400)]
    [InlineData("zz\n", 400)]
    [InlineData("3\n{\"abcd", 400)]
    [InlineData("0\n\n", 200)]
    public async Task Ndjson_BodyEndsAfterSomeLines_IsAnsweredWithTheirResults(string end, int status)
    {
        await using HttpSourceHost host = await StartAsync();
        await using RawConnection connection =
            await host.ConnectAsync($"POST /messages HTTP/1.1\nHost: x\nContent-Type: {Ndjson}\nTransfer-Encoding: chunked\n\n");
        await connection.SendChunkAsync("1\n2\n3"u8.ToArray());
        await host.Intake.UntilAcceptedAsync(2);

        await connection.SendAsync(end);

        RawAnswer answer = await connection.ReadAsync();
        answer.Status.ShouldBe(status, answer.Headers);
        answer.Body.ShouldContain(status == 200 ? "\"stored\":3" : "\"resendFrom\":3,\"stored\":2");
        host.Intake.Accepted.ShouldBe(status == 200 ? 3 : 2);
        await host.FinishAsync();
    }

    [Theory]
    [InlineData(Json, "Content-Length: 9\n\n{\"a", false)]
    [InlineData(Json, "Content-Length: 9\n\n{\"a", true)]
    [InlineData(Json, "Transfer-Encoding: chunked\n\n3\n{\"a\n", false)]
    [InlineData(Json, "Transfer-Encoding: chunked\n\n3\n{\"a\n", true)]
    [InlineData(Json, "Transfer-Encoding: chunked\n\n9\n{\"a", false)]
    [InlineData(Ndjson, "Content-Length: 9\n\n{\"a", false)]
    [InlineData(Ndjson, "Content-Length: 9\n\n{\"a", true)]
    [InlineData(Ndjson, "Transfer-Encoding: chunked\n\n3\n{\"a\n", false)]
    [InlineData(Ndjson, "Transfer-Encoding: chunked\n\n3\n{\"a\n", true)]
    public async Task Body_CutOrReset_IsNeverAnsweredWith200(string type, string rest, bool reset)
    {
        await using HttpSourceHost host = await StartAsync();
        await using RawConnection connection = await host.ConnectAsync($"POST /messages HTTP/1.1\nHost: x\nContent-Type: {type}\n{rest}");

        if (reset)
        {
            connection.Abort();
        }
        else
        {
            connection.ShutdownSend();
            (await connection.ReadToEndAsync()).ShouldNotStartWith("HTTP/1.1 2");
        }

        await host.FinishAsync();
        host.Intake.Accepted.ShouldBe(0);
    }

    [Theory]
    [InlineData(Json)]
    [InlineData(Ndjson)]
    public async Task Body_MoreThanContentLength_StoresTheAnnouncedBytesAndRefusesTheRest(string type)
    {
        await using HttpSourceHost host = await StartAsync();
        await using RawConnection connection =
            await host.ConnectAsync($"POST /messages HTTP/1.1\nHost: x\nContent-Type: {type}\nContent-Length: 3\n\n{{\"abc\n\n");

        (await connection.ReadAsync()).Status.ShouldBe(200);
        (await connection.ReadAsync()).Status.ShouldBe(400);
        host.Intake.Accepted.ShouldBe(1);
        await host.FinishAsync();
    }

    private static async Task<HttpSourceHost> StartAsync()
    {
        HttpSourceHost host = await HttpSourceHost.StartAsync(options =>
        {
            options.MaxMessageBytes = 100;
            options.MaxRequestBytes = 300;
        });
        host.Intake.Script = _ => Settlement.Complete;
        return host;
    }
}
