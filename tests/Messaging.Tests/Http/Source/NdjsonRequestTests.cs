using System.Net;
using System.Net.Http.Headers;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using Microsoft.Extensions.Logging.Abstractions;
using Quayside.Messaging.Http;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Http.Source;

public sealed class NdjsonRequestTests
{
    private const string Chunked = "POST /messages HTTP/1.1\nHost: x\nContent-Type: application/x-ndjson\nTransfer-Encoding: chunked\n\n";

    [Fact]
    public async Task Post_AllStored_Answers200WithEachLine()
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync();
        host.Intake.Script = _ => Settlement.Complete;

        using HttpResponseMessage response = await PostAsync(host, "one\r\n\ntwo\none", id: "file-9");

        response.StatusCode.ShouldBe(HttpStatusCode.OK);
        (await response.Content.ReadAsStringAsync()).ShouldBe(
            "{\"stored\":3,\"deadLettered\":0,\"tooLarge\":0,\"notStored\":0,\"results\":["
            + $"{{\"line\":1,\"id\":\"file-9-{IdOf("one")}\",\"status\":\"stored\"}},"
            + $"{{\"line\":3,\"id\":\"file-9-{IdOf("two")}\",\"status\":\"stored\"}},"
            + $"{{\"line\":4,\"id\":\"file-9-{IdOf("one")}\",\"status\":\"stored\"}}]}}");
        await host.FinishAsync();
    }

    [Fact]
    public async Task Post_NoId_TheIdsAreTheLinesHashes()
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync();
        host.Intake.Script = _ => Settlement.Complete;

        using HttpResponseMessage response = await PostAsync(host, "one\ntwo\none\n");

        JsonElement results = (await SingleMessageRequestTests.JsonAsync(response)).GetProperty("results");
        Ids(results).ShouldBe([IdOf("one"), IdOf("two"), IdOf("one")]);
        await host.FinishAsync();
    }

    [Fact]
    public async Task Post_SomeLinesSentAgainWithTheirHeader_HaveTheIdsOfTheWholeRequest()
    {
        string id = new('i', 256);
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(options => options.MaxRequestLines = 3);
        host.Intake.Script = _ => Settlement.Complete;
        using HttpResponseMessage whole = await PostAsync(host, "1\n2\n3", id);
        string[] ids = Ids((await SingleMessageRequestTests.JsonAsync(whole)).GetProperty("results"));

        using HttpResponseMessage rest = await PostAsync(host, "3\n2", id);

        Ids((await SingleMessageRequestTests.JsonAsync(rest)).GetProperty("results")).ShouldBe([ids[2], ids[1]]);
        ids.Distinct().Count().ShouldBe(3);
        await host.FinishAsync();
    }

    [Theory]
    [InlineData("application/x-ndjson; charset=utf-8")]
    [InlineData("Application/NDJSON")]
    public async Task Post_SpellingOfTheType_IsUnderstood(string type)
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync();
        host.Intake.Script = _ => Settlement.Complete;
        using StringContent content = new("1\n2");
        content.Headers.ContentType = MediaTypeHeaderValue.Parse(type);

        using HttpResponseMessage response = await host.Client.PostAsync("/messages/orders", content);

        (await SingleMessageRequestTests.JsonAsync(response)).GetProperty("stored").GetInt32().ShouldBe(2);
        await host.FinishAsync();
    }

    [Fact]
    public async Task Post_SomePoison_Answers422AndNamesThem()
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(options => options.MaxMessageBytes = 10);
        host.Intake.Script = delivery => delivery.Body[0] == 'p' ? Settlement.DeadLetter("malformed-json", "No.") : Settlement.Complete;

        using HttpResponseMessage response = await PostAsync(host, "good\npoison\nmuch too large\ngood too");

        response.StatusCode.ShouldBe(HttpStatusCode.UnprocessableEntity);
        JsonElement json = await SingleMessageRequestTests.JsonAsync(response);
        Statuses(json).ShouldBe(["1 stored", "2 dead-lettered", "3 too-large", "4 stored"]);
        json.GetProperty("results")[1].GetProperty("reason").GetString().ShouldBe("malformed-json");
        json.TryGetProperty("error", out _).ShouldBeFalse("No line needs a resend.");
        host.DeadLetters.Messages.ShouldHaveSingleItem();
        await host.FinishAsync();
    }

    [Fact]
    public async Task Post_SomeAbandoned_Answers503AndNamesThem()
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync();
        host.Intake.Script = delivery => delivery.Body[0] switch
        {
            (byte)'l' => Settlement.Abandon(TimeSpan.FromSeconds(7)),
            (byte)'p' => Settlement.DeadLetter("malformed-json", "No."),
            _ => Settlement.Complete,
        };

        using HttpResponseMessage response = await PostAsync(host, "good\nlater\npoison\ngood");

        response.StatusCode.ShouldBe(HttpStatusCode.ServiceUnavailable);
        response.Headers.RetryAfter!.Delta.ShouldBe(TimeSpan.FromSeconds(7));
        JsonElement json = await SingleMessageRequestTests.JsonAsync(response);
        json.GetProperty("error").GetString().ShouldBe("not-stored");
        json.TryGetProperty("resendFrom", out _).ShouldBeFalse();
        Statuses(json).ShouldBe(["1 stored", "2 not-stored", "3 dead-lettered", "4 stored"]);
        await host.FinishAsync();
    }

    [Fact]
    public async Task Post_ManyLines_AreInFlightWithinTheRequestsBound()
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(options => options.MaxInFlightPerRequest = 4);
        Task<HttpResponseMessage> posting = PostAsync(host, string.Join('\n', Enumerable.Range(0, 20)));
        Queue<Delivery> inWork = [];
        for (int i = 0; i < 4; i++)
        {
            inWork.Enqueue(await host.Intake.NextAsync());
        }

        for (int i = 0; i < 20; i++)
        {
            await inWork.Dequeue().SettleAsync(Settlement.Complete);
            if (i + 4 < 20)
            {
                inWork.Enqueue(await host.Intake.NextAsync());
            }
        }

        (await posting).StatusCode.ShouldBe(HttpStatusCode.OK);
        host.Intake.MaxUnsettled.ShouldBe(4);
        await host.FinishAsync();
    }

    [Fact]
    public async Task Post_NoSlotForTheFirstLine_RefusesTheRequest()
    {
        ManualTimeProvider time = new();
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(concurrency: 1, time: time);
        await using RawConnection ndjson = await host.ConnectAsync(Chunked);
        await HttpSourceHost.UntilAsync(() => host.Source.Requests == 1);

        // It waits for its body, and has no slot.
        await time.WaitForTimersAsync(1);
        Task<HttpResponseMessage> other = host.Client.PostAsync("/messages", new StringContent("x"));
        Delivery delivery = await host.Intake.NextAsync();

        await ndjson.SendChunkAsync("1\n2\n"u8.ToArray());

        RawAnswer answer = await ndjson.ReadAsync();
        answer.Status.ShouldBe(429);
        answer.Has("Retry-After: 1").ShouldBeTrue();
        answer.Body.ShouldNotContain("results");
        await delivery.SettleAsync(Settlement.Complete);
        (await other).StatusCode.ShouldBe(HttpStatusCode.OK);
        await host.FinishAsync();
    }

    [Fact]
    public async Task Post_NoSlotInTime_AnswersTheSafeLinesAndResendFrom()
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(options => options.SlotTimeout = TimeSpan.FromMilliseconds(150));
        await using RawConnection connection = await host.ConnectAsync(Chunked);
        await connection.SendChunkAsync("1\n2\n"u8.ToArray());
        await (await host.Intake.NextAsync()).SettleAsync(Settlement.Complete);
        await (await host.Intake.NextAsync()).SettleAsync(Settlement.Complete);
        host.Intake.Pause();

        await connection.SendChunkAsync("\n4\n5\n"u8.ToArray());

        RawAnswer answer = await connection.ReadAsync();
        answer.Status.ShouldBe(503);
        JsonElement json = JsonDocument.Parse(answer.Body).RootElement;
        json.GetProperty("resendFrom").GetInt32().ShouldBe(4);
        json.GetProperty("error").GetString().ShouldBe("paused");
        Statuses(json).ShouldBe(["1 stored", "2 stored"]);
        await host.FinishAsync();
    }

    [Fact]
    public async Task Stop_InTheMiddle_AnswersTheSafeLinesAndResendFrom()
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(time: new ManualTimeProvider());
        await using RawConnection connection = await host.ConnectAsync(Chunked);
        await connection.SendChunkAsync("1\n2\nhal"u8.ToArray());
        Delivery first = await host.Intake.NextAsync();
        Delivery second = await host.Intake.NextAsync();

        await host.StopReceivingAsync();
        await first.SettleAsync(Settlement.Complete);
        await second.SettleAsync(Settlement.Complete);

        RawAnswer answer = await connection.ReadAsync();
        answer.Status.ShouldBe(503);
        answer.Has("Connection: close").ShouldBeTrue();
        JsonElement json = JsonDocument.Parse(answer.Body).RootElement;
        json.GetProperty("error").GetString().ShouldBe("stopping");
        json.GetProperty("resendFrom").GetInt32().ShouldBe(3);
        Statuses(json).ShouldBe(["1 stored", "2 stored"]);
        await host.FinishAsync();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Post_AbortedInTheMiddle_SettlesAcceptedLinesAndDropsTheHalfLine(bool reset)
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(time: new ManualTimeProvider());
        await using RawConnection connection = await host.ConnectAsync(Chunked);
        await connection.SendChunkAsync("one\ntwo\nhal"u8.ToArray());
        Delivery first = await host.Intake.NextAsync();
        Delivery second = await host.Intake.NextAsync();

        if (reset)
        {
            connection.Abort();
        }
        else
        {
            connection.ShutdownSend();
        }

        await host.UntilLeftAsync();
        await first.SettleAsync(Settlement.Complete);
        await second.SettleAsync(Settlement.DeadLetter("malformed-json", "No."));
        await HttpSourceHost.UntilAsync(() => host.Source.Requests == 0);
        host.Intake.Accepted.ShouldBe(2);
        await host.FinishAsync();
    }

    [Fact]
    public async Task Post_TooSlow_AnswersTheSafeLines()
    {
        ManualTimeProvider time = new();
        TimeSpan limit = TimeSpan.FromSeconds(30);
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(options => options.BodyTimeout = limit, time: time);
        await using RawConnection connection = await host.ConnectAsync(Chunked);
        await connection.SendChunkAsync("1\n2"u8.ToArray());
        await (await host.Intake.NextAsync()).SettleAsync(Settlement.Complete);
        await time.WaitForTimersAsync(1);
        time.Advance(limit);

        RawAnswer answer = await connection.ReadAsync();

        answer.Status.ShouldBe(408);
        JsonElement json = JsonDocument.Parse(answer.Body).RootElement;
        json.GetProperty("resendFrom").GetInt32().ShouldBe(2);
        Statuses(json).ShouldBe(["1 stored"]);
        await host.FinishAsync();
    }

    [Fact]
    public async Task Post_RequestAboveTheLimit_Answers413()
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(options =>
        {
            options.MaxMessageBytes = 10;
            options.MaxRequestBytes = 20;
        });
        host.Intake.Script = _ => Settlement.Complete;
        using HttpResponseMessage announced = await PostAsync(host, "123456789\n123456789\n1");
        announced.StatusCode.ShouldBe(HttpStatusCode.RequestEntityTooLarge);
        host.Intake.Accepted.ShouldBe(0);

        await using RawConnection connection = await host.ConnectAsync(Chunked);
        await connection.SendChunkAsync("123456789\n"u8.ToArray());
        await host.Intake.UntilAcceptedAsync(1);
        await connection.SendChunkAsync("123456789\n123456789\n"u8.ToArray());
        await connection.SendLastChunkAsync();

        RawAnswer answer = await connection.ReadAsync();
        answer.Status.ShouldBe(413);
        JsonElement json = JsonDocument.Parse(answer.Body).RootElement;
        json.GetProperty("error").GetString().ShouldBe("request-too-large");
        json.GetProperty("resendFrom").GetInt32().ShouldBe(2);
        Statuses(json).ShouldBe(["1 stored"]);
        await host.FinishAsync();
    }

    [Fact]
    public async Task Post_TooManyLines_Answers413AndResendFrom()
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(options => options.MaxRequestLines = 3);
        host.Intake.Script = _ => Settlement.Complete;

        using HttpResponseMessage response = await PostAsync(host, "1\n2\n3\n4\n5\n");

        response.StatusCode.ShouldBe(HttpStatusCode.RequestEntityTooLarge);
        JsonElement json = await SingleMessageRequestTests.JsonAsync(response);
        json.GetProperty("resendFrom").GetInt32().ShouldBe(4);
        json.GetProperty("stored").GetInt32().ShouldBe(3);
        await host.FinishAsync();
    }

    [Fact]
    public async Task Post_AFileOfBlankLines_IsBoundedToo()
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(options => options.MaxRequestLines = 100);

        using HttpResponseMessage response = await PostAsync(host, new string('\n', 100_000) + "x");

        response.StatusCode.ShouldBe(HttpStatusCode.RequestEntityTooLarge);
        JsonElement json = await SingleMessageRequestTests.JsonAsync(response);
        json.GetProperty("resendFrom").GetInt32().ShouldBeGreaterThan(100);
        json.GetProperty("results").GetArrayLength().ShouldBe(0);
        await host.FinishAsync();
    }

    [Fact]
    public async Task Post_LargeFile_IsAcceptedWhole()
    {
        const int Lines = 20_000;
        await using HttpSourceHost host = await HttpSourceHost.StartAsync();
        long bytes = 0;
        host.Intake.Script = delivery =>
        {
            Interlocked.Add(ref bytes, delivery.Body.Length);
            return Settlement.Complete;
        };
        string file = string.Join('\n', Enumerable.Range(0, Lines).Select(i => $"{{\"n\":{i},\"text\":\"{new string('t', i % 900)}\"}}"));

        using HttpResponseMessage response = await PostAsync(host, file);

        response.StatusCode.ShouldBe(HttpStatusCode.OK);
        JsonElement json = await SingleMessageRequestTests.JsonAsync(response);
        json.GetProperty("stored").GetInt32().ShouldBe(Lines);
        json.GetProperty("results").EnumerateArray().Select(result => result.GetProperty("line").GetInt32()).ShouldBe(Enumerable.Range(1, Lines));
        bytes.ShouldBe(file.Length - Lines + 1);
        await host.FinishAsync();
    }

    [Fact]
    public async Task Post_LinesBegunByManyCallers_AreBoundedInMemory()
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(options =>
        {
            options.MaxMessageBytes = 1_000;
            options.MaxReceivingBytes = 1_500;
        }, time: new ManualTimeProvider());
        await using RawConnection first = await host.ConnectAsync(Chunked);
        await first.SendChunkAsync(new byte[900]);
        await host.UntilTakenAsync(900);
        await using RawConnection second = await host.ConnectAsync(Chunked);
        await second.SendChunkAsync(new byte[900]);

        (await second.ReadAsync()).Status.ShouldBe(429);

        first.Abort();
        await host.FinishAsync();
    }

    [Fact]
    public async Task Post_LinesThatWaitForASlot_AreBoundedInMemory()
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(options =>
        {
            options.MaxMessageBytes = 1_000;
            options.MaxReceivingBytes = 1_500;
        }, time: new ManualTimeProvider());
        byte[] line = [.. Enumerable.Repeat((byte)'x', 900), (byte)'\n'];
        await using RawConnection first = await host.ConnectAsync(Chunked);
        await using RawConnection second = await host.ConnectAsync(Chunked);
        foreach (RawConnection caller in new[] { first, second })
        {
            await caller.SendChunkAsync("x\n"u8.ToArray());
            await (await host.Intake.NextAsync()).SettleAsync(Settlement.Complete);
        }

        host.Intake.Pause();
        await first.SendChunkAsync(line);
        await host.Intake.UntilReservingAsync();
        host.Source.Receiving.Taken.ShouldBe(900);
        await second.SendChunkAsync(line);

        RawAnswer answer = await second.ReadAsync();
        answer.Status.ShouldBe(429);
        JsonDocument.Parse(answer.Body).RootElement.GetProperty("resendFrom").GetInt32().ShouldBe(2);
        host.Intake.Resume();
        await (await host.Intake.NextAsync()).SettleAsync(Settlement.Complete);
        await first.SendLastChunkAsync();
        (await first.ReadAsync()).Status.ShouldBe(200);
        await host.FinishAsync();
    }

    [Fact]
    public async Task Post_ResultsAboveTheReceivingLimit_Answers429AndResendFrom()
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(options =>
        {
            options.MaxMessageBytes = 1_000;
            options.MaxReceivingBytes = 2_000;
            options.MaxInFlightPerRequest = 1;
        });
        host.Intake.Script = _ => Settlement.Complete;

        // With this id a result has 325 bytes: the seventh does not fit, and the eighth line is in flight by then.
        using HttpResponseMessage response = await PostAsync(host, string.Concat(Enumerable.Repeat("x\n", 100)), id: new string('i', 256));

        response.StatusCode.ShouldBe(HttpStatusCode.TooManyRequests);
        JsonElement json = await SingleMessageRequestTests.JsonAsync(response);
        json.GetProperty("error").GetString().ShouldBe("busy");
        json.GetProperty("resendFrom").GetInt32().ShouldBe(9);
        Statuses(json).ShouldBe([.. Enumerable.Range(1, 8).Select(line => $"{line} stored")]);
        await host.FinishAsync();
    }

    [Fact]
    public async Task Post_LastResultsAboveTheReceivingLimit_AreAnswered()
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(options =>
        {
            options.MaxMessageBytes = 10;
            options.MaxReceivingBytes = 10;
        });
        host.Intake.Script = _ => Settlement.Complete;

        using HttpResponseMessage response = await PostAsync(host, "1\n2\n3\n\n");

        response.StatusCode.ShouldBe(HttpStatusCode.OK, "Every line is stored, and none is left to be sent again.");
        (await SingleMessageRequestTests.JsonAsync(response)).GetProperty("stored").GetInt32().ShouldBe(3);
        await host.FinishAsync();
    }

    [Fact]
    public async Task Post_AnswerIsNotRead_ItsResultsAreCountedAndInMemoryOnce()
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(time: new ManualTimeProvider());
        await using RawConnection caller = await PostWithoutReadingAsync(host);

        host.Source.Receiving.Taken.ShouldBeGreaterThan(20_000_000);
        host.Buffers.Outstanding.ShouldBe(1, "The results are in the answer.");

        caller.Abort();
        await host.FinishAsync();
    }

    [Fact]
    public async Task Stop_AnswerIsNotRead_ItsConnectionIsClosed()
    {
        ManualTimeProvider time = new();
        using HttpConnections connections = new(new WebOptions(), time, NullLogger<HttpConnections>.Instance);
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(time: time, connections: connections);
        await using RawConnection caller = await PostWithoutReadingAsync(host);
        await host.StopReceivingAsync();
        connections.BeginStop();
        Task closing = host.Source.CloseAsync(CancellationToken.None);
        closing.IsCompleted.ShouldBeFalse("The caller has time to read its answer.");

        time.Advance(HttpConnections.AnswerLimit);

        await closing.WaitAsync(TimeSpan.FromSeconds(60));
        await host.FinishAsync();
    }

    /// <summary>Sends lines whose answer, of about 23.6 MB, is larger than the kernel's buffers, and reads only its beginning.</summary>
    private static async Task<RawConnection> PostWithoutReadingAsync(HttpSourceHost host)
    {
        const int Lines = 40_000;
        host.Intake.Script = _ => Settlement.Complete;

        // JSON escapes each backslash, so a result has about 590 bytes.
        string id = new('\\', 256);
        string lines = string.Concat(Enumerable.Repeat("x\n", Lines)) + "\n";
        RawConnection caller = await host.ConnectAsync(
            $"POST /messages HTTP/1.1\nHost: localhost\nContent-Type: application/x-ndjson\nX-Message-Id: {id}\nContent-Length: {lines.Length}\n\n");
        await caller.SendAsync(Encoding.ASCII.GetBytes(lines));
        await caller.ReadToAsync($"\"stored\":{Lines},");
        return caller;
    }

    private static async Task<HttpResponseMessage> PostAsync(HttpSourceHost host, string body, string? id = null)
    {
        using StringContent content = new(body, Encoding.UTF8, "application/x-ndjson");
        if (id is not null)
        {
            content.Headers.Add("X-Message-Id", id);
        }

        return await host.Client.PostAsync("/messages", content);
    }

    private static string IdOf(string line) => Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(line)))[..32];

    private static string[] Ids(JsonElement results) => [.. results.EnumerateArray().Select(result => result.GetProperty("id").GetString()!)];

    private static List<string> Statuses(JsonElement json) =>
        [.. json
            .GetProperty("results")
            .EnumerateArray()
            .Select(result => $"{result.GetProperty("line").GetInt32()} {result.GetProperty("status").GetString()}")];
}
