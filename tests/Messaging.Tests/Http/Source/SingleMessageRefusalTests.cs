using System.Net;
using Quayside.Messaging.Sources;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Http.Source;

/// <summary>Requests that are refused before their message is accepted, and requests just within the limits.</summary>
public sealed class SingleMessageRefusalTests
{
    [Theory]
    [InlineData(nameof(IntakeAnswer.Full), 429, "Retry-After: 1", "busy")]
    [InlineData(nameof(IntakeAnswer.Paused), 503, "Retry-After: 5", "paused")]
    [InlineData(nameof(IntakeAnswer.Stopping), 503, "Connection: close", "stopping")]
    public async Task Post_NoSlot_IsRefusedBeforeTheBodyIsRequested(string answer, int status, string header, string error)
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync();
        host.Intake.Answer = Enum.Parse<IntakeAnswer>(answer);

        // A caller that waits for "100 Continue" gets the refusal instead.
        await using RawConnection connection = await host.ConnectAsync("POST /messages HTTP/1.1\nHost: x\nContent-Length: 100\nExpect: 100-continue\n\n");
        RawAnswer refusal = await connection.ReadAsync();

        refusal.Status.ShouldBe(status);
        refusal.Has(header).ShouldBeTrue(refusal.Headers);
        refusal.Body.ShouldContain($"\"error\":\"{error}\"");
        refusal.Body.ShouldContain("\"message\":\"");
        host.Intake.Accepted.ShouldBe(0);
    }

    [Fact]
    public async Task Post_ExpectContinueAndAFreeSlot_IsAskedForTheBody()
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync();
        host.Intake.Script = _ => Settlement.Complete;
        await using RawConnection connection = await host.ConnectAsync("POST /messages HTTP/1.1\nHost: x\nContent-Length: 5\nExpect: 100-continue\n\n");
        (await connection.ReadAsync()).Status.ShouldBe(100);

        await connection.SendAsync("hello");

        (await connection.ReadAsync()).Status.ShouldBe(200);
        await host.FinishAsync();
    }

    [Fact]
    public async Task Post_NoFreeSlot_Answers429AndIsAcceptedLater()
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(concurrency: 1);
        Task<HttpResponseMessage> first = host.Client.PostAsync("/messages", new StringContent("1"));
        Delivery delivery = await host.Intake.NextAsync();

        using HttpResponseMessage refused = await host.Client.PostAsync("/messages", new StringContent("2"));

        ((int)refused.StatusCode).ShouldBe(429);
        await delivery.SettleAsync(Settlement.Complete);
        (await first).StatusCode.ShouldBe(HttpStatusCode.OK);
        host.Intake.Script = _ => Settlement.Complete;
        using HttpResponseMessage later = await host.Client.PostAsync("/messages", new StringContent("2"));
        later.StatusCode.ShouldBe(HttpStatusCode.OK);
        await host.FinishAsync();
    }

    [Fact]
    public async Task Post_SlowSender_HoldsNoSlot()
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(concurrency: 1, time: new ManualTimeProvider());
        host.Intake.Script = _ => Settlement.Complete;
        await using RawConnection slow = await host.ConnectAsync("POST /messages HTTP/1.1\nHost: x\nContent-Length: 5\n\nhel");
        await host.UntilTakenAsync(3);

        using HttpResponseMessage quick = await host.Client.PostAsync("/messages", new StringContent("quick"));

        quick.StatusCode.ShouldBe(HttpStatusCode.OK);
        await slow.SendAsync("lo");
        (await slow.ReadAsync()).Status.ShouldBe(200);
        await host.FinishAsync();
    }

    [Fact]
    public async Task Post_JustBeforeReceivingBegins_WaitsForIt()
    {
        ManualTimeProvider time = new();
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(receive: false, time: time);
        host.Intake.Script = _ => Settlement.Complete;
        Task<HttpResponseMessage> posting = host.Client.PostAsync("/messages", new StringContent("x"));
        await time.WaitForTimersAsync(1);

        host.Receive();

        using HttpResponseMessage response = await posting;
        response.StatusCode.ShouldBe(HttpStatusCode.OK);
        await host.FinishAsync();
    }

    [Fact]
    public async Task Post_ReceivingDoesNotBegin_Answers503AfterFiveSeconds()
    {
        ManualTimeProvider time = new();
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(receive: false, time: time);
        Task<HttpResponseMessage> posting = host.Client.PostAsync("/messages", new StringContent("x"));
        await time.WaitForTimersAsync(1);
        time.Advance(TimeSpan.FromSeconds(5));

        using HttpResponseMessage response = await posting;

        response.StatusCode.ShouldBe(HttpStatusCode.ServiceUnavailable);
        (await SingleMessageRequestTests.JsonAsync(response)).GetProperty("error").GetString().ShouldBe("starting");
    }

    [Theory]
    [InlineData("Content-Length: 0\n\n")]
    [InlineData("Transfer-Encoding: chunked\n\n0\n\n")]
    [InlineData("\n")]
    [InlineData("Content-Type: application/x-ndjson\nContent-Length: 0\n\n")]
    [InlineData("Content-Type: application/x-ndjson\nContent-Length: 4\n\n\n\n")]
    public async Task Post_NoMessage_Answers400(string rest)
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync();
        await using RawConnection connection = await host.ConnectAsync($"POST /messages HTTP/1.1\nHost: x\n{rest}");

        RawAnswer answer = await connection.ReadAsync();

        answer.Status.ShouldBe(400);
        answer.Body.ShouldContain("empty-body");
        await host.FinishAsync();
    }

    [Fact]
    public async Task Post_AtTheLimit_IsAccepted()
    {
        byte[] body = [.. Enumerable.Range(0, 100_000).Select(i => (byte)i)];
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(options => options.MaxMessageBytes = body.Length);
        foreach (bool chunked in new[] { false, true })
        {
            using HttpRequestMessage request = new(HttpMethod.Post, "/messages") { Content = new ByteArrayContent(body) };
            request.Headers.TransferEncodingChunked = chunked;
            Task<HttpResponseMessage> posting = host.Client.SendAsync(request);

            Delivery delivery = await host.Intake.NextAsync();

            delivery.Body.AsSpan().SequenceEqual(body).ShouldBeTrue();
            await delivery.SettleAsync(Settlement.Complete);
            (await posting).StatusCode.ShouldBe(HttpStatusCode.OK);
        }

        await host.FinishAsync();
    }

    [Theory]
    [InlineData(1_001, false)]
    [InlineData(1_001, true)]
    [InlineData(3_000_000, false)]
    [InlineData(3_000_000, true)]
    public async Task Post_AboveTheLimit_Answers413AndAcceptsNothing(int length, bool chunked)
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(options => options.MaxMessageBytes = 1_000);
        using HttpRequestMessage request = new(HttpMethod.Post, "/messages") { Content = new ByteArrayContent(new byte[length]) };
        request.Headers.TransferEncodingChunked = chunked;

        using HttpResponseMessage response = await host.Client.SendAsync(request);

        response.StatusCode.ShouldBe(HttpStatusCode.RequestEntityTooLarge);
        (await SingleMessageRequestTests.JsonAsync(response)).GetProperty("message").GetString()!.ShouldContain("Sources:Http:MaxMessageBytes");
        host.Intake.Accepted.ShouldBe(0);
        await host.FinishAsync();
    }

    [Theory]
    [InlineData("X-Message-Id: with blank")]
    [InlineData("X-Message-Id: tab\there")]
    [InlineData("X-Message-Id: caf\u00e9")]
    [InlineData("X-Message-Id:")]
    [InlineData("X-Message-Id: one\nX-Message-Id: two")]
    [InlineData("X-Message-Id: 257")]
    public async Task Post_UnusableId_Answers400(string header)
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync();
        string given = header.EndsWith("257", StringComparison.Ordinal) ? "X-Message-Id: " + new string('i', 257) : header;
        foreach (string type in new[] { "application/json", "application/x-ndjson" })
        {
            await using RawConnection connection =
                await host.ConnectAsync($"POST /messages HTTP/1.1\nHost: x\nContent-Type: {type}\nContent-Length: 2\n{given}\n\n{{}}");

            RawAnswer answer = await connection.ReadAsync();

            answer.Status.ShouldBe(400);
        }

        host.Intake.Accepted.ShouldBe(0);
        await host.FinishAsync();
    }
}
