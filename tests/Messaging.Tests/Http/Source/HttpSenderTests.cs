using System.Net;
using System.Net.Http.Headers;
using System.Net.Sockets;
using Quayside.Messaging.Http.Sending;
using Quayside.Messaging.Publishing;

namespace Messaging.Tests.Http.Source;

[Collection(OneThreadCollection.Name)]
public sealed class HttpSenderTests
{
    private readonly ManualTimeProvider _time = new();
    private readonly List<string> _notices = [];

    [Theory]
    [InlineData("stored")]
    [InlineData("completed")]
    public async Task Send_WorkersAnswer_IsStored(string status)
    {
        using HttpSender sender = Create(new ScriptedHandler((id, _) =>
            ScriptedHandler.Answer(HttpStatusCode.OK, $$"""{"id":"{{id}}","status":"{{status}}"}""")));

        (await SendAsync(sender, "m-1")).ShouldBeNull();

        sender.Problem.ShouldBeNull();
    }

    [Theory]
    [InlineData(200, "<html>Welcome</html>")]
    [InlineData(200, "")]
    [InlineData(204, "")]
    [InlineData(200, "{}")]
    [InlineData(200, "[]")]
    [InlineData(200, """{"id":"m-1"}""")]
    [InlineData(200, """{"status":"stored"}""")]
    [InlineData(200, """{"id":"other","status":"stored"}""")]
    [InlineData(200, """{"id":"m-1","status":"dead-lettered"}""")]
    [InlineData(200, """{"id":"m-1","status":true}""")]
    [InlineData(200, """{"id":"\ud800","status":"stored"}""")]
    [InlineData(202, """{"id":"m-1","status":"accepted"}""")]
    public async Task Send_AnotherSuccess_IsNotStoredAndNothingMoreIsSent(int status, string body)
    {
        ScriptedHandler server = new((_, _) => ScriptedHandler.Answer((HttpStatusCode)status, body));
        using HttpSender sender = Create(server);

        string error = (await SendAsync(sender, "m-1")).ShouldNotBeNull();
        string next = (await SendAsync(sender, "m-2")).ShouldNotBeNull();

        error.ShouldContain("not a worker's answer");
        next.ShouldBe(error);
        sender.Problem.ShouldBe(error);
        server.Requests.ShouldBe(1);
    }

    [Fact]
    public async Task Send_AnswerWithoutEnd_IsNotReadWhole()
    {
        using HttpSender sender = Create(new ScriptedHandler((_, _) => ScriptedHandler.Answer(HttpStatusCode.OK, new string('x', 1 << 20))));

        (await SendAsync(sender, "m-1")).ShouldNotBeNull();
    }

    [Fact]
    public async Task Send_IdThatNoHeaderCanHold_ExpectsTheIdOfTheContent()
    {
        using HttpSender sender = Create(new ScriptedHandler((id, _) => ScriptedHandler.Stored(id.Length == 0 ? "44136fa355b3678a1146ad16f7e8649e" : id)));

        (await SendAsync(sender, "an id")).ShouldBeNull("The SHA-256 of {} begins so.");
    }

    [Fact]
    public async Task Send_Refused_SaysReasonAndDescription()
    {
        using HttpSender sender = Create(new ScriptedHandler((id, _) => ScriptedHandler.Answer(
            HttpStatusCode.UnprocessableEntity, $$"""{"id":"{{id}}","status":"dead-lettered","reason":"malformed-json","description":"Byte 3."}""")));

        (await SendAsync(sender, "m-1")).ShouldBe("422 dead-lettered: malformed-json: Byte 3.");
        sender.Problem.ShouldBeNull("The next message may be stored.");
    }

    [Fact]
    public async Task Send_WorkerRestarts_WaitsReportsItAndSends()
    {
        ScriptedHandler server = new((id, number) => number is > 1 and < 20 ? throw Refused() : ScriptedHandler.Stored(id));
        using HttpSender sender = Create(server);
        (await SendAsync(sender, "m-1")).ShouldBeNull();

        (await FinishAsync(SendAsync(sender, "m-2"))).ShouldBeNull();

        server.Requests.ShouldBe(20);
        _notices.ShouldHaveSingleItem().ShouldStartWith("http://worker:8080 cannot be reached (Connection refused (worker:8080))");
    }

    [Fact]
    public async Task Send_AnswersBetweenRefusals_CountAsOneOutage()
    {
        using HttpSender sender = Create(new ScriptedHandler((id, number) => number % 2 == 1 ? throw Refused() : ScriptedHandler.Stored(id)));

        for (int i = 0; i < 4; i++)
        {
            (await FinishAsync(SendAsync(sender, $"m-{i}"))).ShouldBeNull();
        }

        _notices.Count.ShouldBe(1);
    }

    [Theory]
    [InlineData(true, 60)]
    [InlineData(false, 5)]
    public async Task Send_WorkerStaysDown_EndsAfterTheLimit(bool answeredBefore, int seconds)
    {
        using HttpSender sender = Create(new ScriptedHandler((id, number) => answeredBefore && number == 1 ? ScriptedHandler.Stored(id) : throw Refused()));
        if (answeredBefore)
        {
            (await SendAsync(sender, "m-0")).ShouldBeNull();
        }

        DateTimeOffset began = _time.GetUtcNow();
        string error = (await FinishAsync(SendAsync(sender, "m-1"))).ShouldNotBeNull();

        error.ShouldContain("Is a worker running there?");
        (_time.GetUtcNow() - began).TotalSeconds.ShouldBeInRange(seconds, seconds + 2);
        (await SendAsync(sender, "m-2")).ShouldBe(error, "The rest is not tried one by one.");
    }

    [Fact]
    public async Task Send_NoSuchName_EndsImmediately()
    {
        ScriptedHandler server = new((_, _) => throw new HttpRequestException(HttpRequestError.NameResolutionError, "Name or service not known"));
        using HttpSender sender = Create(server);

        (await SendAsync(sender, "m-1")).ShouldNotBeNull().ShouldContain("--url");

        server.Requests.ShouldBe(1);
    }

    [Fact]
    public async Task Send_ConnectionBreaks_IsSentAgain()
    {
        using HttpSender sender = Create(new ScriptedHandler((id, number) => number == 1
            ? throw new HttpRequestException(
                HttpRequestError.Unknown, "An error occurred while sending the request.", new IOException("Connection reset by peer"))
            : ScriptedHandler.Stored(id)));

        (await FinishAsync(SendAsync(sender, "m-1"))).ShouldBeNull();
        _notices.ShouldHaveSingleItem().ShouldContain("(Connection reset by peer)");
    }

    [Fact]
    public async Task Send_RetryAfterOfYears_IsFollowedForSeconds()
    {
        ScriptedHandler server = new((_, _) =>
        {
            HttpResponseMessage busy = ScriptedHandler.Answer(HttpStatusCode.ServiceUnavailable, """{"error":"paused","message":"Later."}""");
            busy.Headers.RetryAfter = new RetryConditionHeaderValue(TimeSpan.FromSeconds(int.MaxValue));
            return busy;
        });
        using HttpSender sender = Create(server);
        DateTimeOffset began = _time.GetUtcNow();

        (await FinishAsync(SendAsync(sender, "m-1"))).ShouldBe("503 paused: Later.");

        server.Requests.ShouldBe(20);
        (_time.GetUtcNow() - began).TotalMinutes.ShouldBeLessThan(11);
        sender.Problem.ShouldNotBeNull("Nothing was stored meanwhile: the rest would wait as long.");
    }

    private static HttpRequestException Refused() =>
        new(HttpRequestError.ConnectionError, "Connection refused (worker:8080)", new SocketException((int)SocketError.ConnectionRefused));

    private static async Task<string?> SendAsync(HttpSender sender, string id) =>
        (await sender.SendAsync([new OutgoingMessage(id, "{}"u8.ToArray())], CancellationToken.None)).Single();

    private HttpSender Create(ScriptedHandler handler) => new(new Uri("http://worker:8080/messages"), handler, _time, _notices.Add);

    /// <summary>Moves the clock while the sender waits.</summary>
    private async Task<string?> FinishAsync(Task<string?> sending)
    {
        await _time.PassUntilAsync(TimeSpan.FromMilliseconds(500), () => sending.IsCompleted);
        return await sending;
    }
}
