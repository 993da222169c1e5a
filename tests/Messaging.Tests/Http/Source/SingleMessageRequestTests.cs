using System.Collections.Concurrent;
using System.Net;
using System.Net.Http.Headers;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using Messaging.Tests.Aws.Sqs;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Http.Source;

public sealed class SingleMessageRequestTests
{
    [Fact]
    public async Task Post_Stored_AnswersAfterTheSettlement()
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync();
        using StringContent content = new("{\"a\":1}", Encoding.UTF8, "application/json");
        content.Headers.Add("X-Message-Id", "order-1");
        Task<HttpResponseMessage> posting = host.Client.PostAsync("/messages", content);
        Delivery delivery = await host.Intake.NextAsync();
        Task<HttpResponseMessage> later = host.Client.PostAsync("/messages", new StringContent("later"));
        await (await host.Intake.NextAsync()).SettleAsync(Settlement.Complete);
        (await later).StatusCode.ShouldBe(HttpStatusCode.OK);
        posting.IsCompleted.ShouldBeFalse("It is not stored yet.");

        await delivery.SettleAsync(Settlement.Complete);

        using HttpResponseMessage response = await posting;
        response.StatusCode.ShouldBe(HttpStatusCode.OK);
        response.Content.Headers.ContentType.ShouldBe(new MediaTypeHeaderValue("application/json"));
        (await response.Content.ReadAsStringAsync()).ShouldBe("{\"id\":\"order-1\",\"status\":\"stored\"}");
        delivery.Id.ShouldBe("order-1");
        await host.FinishAsync();
    }

    [Theory]
    [InlineData("application/json", "{\"id\":\"order-1\",\"status\":\"completed\"}")]
    [InlineData("application/x-ndjson", "\",\"status\":\"completed\"}")]
    public async Task Post_RouteWithoutASink_IsCompletedAndNotStored(string type, string expected)
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(stores: false);
        host.Intake.Script = _ => Settlement.Complete;
        using StringContent content = new("{\"a\":1}", Encoding.UTF8, type);
        content.Headers.Add("X-Message-Id", "order-1");

        using HttpResponseMessage response = await host.Client.PostAsync("/messages", content);

        (await response.Content.ReadAsStringAsync()).ShouldContain(expected);
        await host.FinishAsync();
    }

    [Fact]
    public async Task Post_NoId_UsesTheContentHashSoThatARetryIsADuplicate()
    {
        byte[] body = "{\"b\":2}"u8.ToArray();
        string expected = Convert.ToHexStringLower(SHA256.HashData(body))[..32];
        await using HttpSourceHost host = await HttpSourceHost.StartAsync();
        ConcurrentQueue<string> ids = [];
        host.Intake.Script = delivery =>
        {
            ids.Enqueue(delivery.Id);
            return Settlement.Complete;
        };

        for (int i = 0; i < 2; i++)
        {
            using HttpResponseMessage response = await host.Client.PostAsync("/messages", new ByteArrayContent(body));
            (await response.Content.ReadAsStringAsync()).ShouldContain(expected);
        }

        ids.ShouldBe([expected, expected]);
        await host.FinishAsync();
    }

    [Fact]
    public async Task Post_Poison_Answers422AfterTheDeadLetterIsWritten()
    {
        TaskCompletionSource gate = new(TaskCreationOptions.RunContinuationsAsynchronously);
        await using HttpSourceHost host = await HttpSourceHost.StartAsync();
        host.DeadLetters.Gate = gate.Task;
        host.Intake.Script = delivery => delivery.Body.Length > 4 ? Settlement.Complete : Settlement.DeadLetter("malformed-json", "It says \"no\".");
        Task<HttpResponseMessage> posting = host.Client.PostAsync("/messages", new StringContent("nope"));
        await host.Intake.UntilAcceptedAsync(1);
        using HttpResponseMessage later = await host.Client.PostAsync("/messages", new StringContent("later"));
        later.StatusCode.ShouldBe(HttpStatusCode.OK);
        posting.IsCompleted.ShouldBeFalse();

        gate.SetResult();

        using HttpResponseMessage response = await posting;
        response.StatusCode.ShouldBe(HttpStatusCode.UnprocessableEntity);
        JsonElement json = await JsonAsync(response);
        json.GetProperty("status").GetString().ShouldBe("dead-lettered");
        json.GetProperty("reason").GetString().ShouldBe("malformed-json");
        json.GetProperty("description").GetString().ShouldBe("It says \"no\".");
        json.GetProperty("id").GetString().ShouldBe(host.DeadLetters.Messages.ShouldHaveSingleItem().Id);
        host.DeadLetters.Messages[0].Body.ShouldBe("nope"u8.ToArray());
        host.DeadLetters.Records[0].Source.ShouldBe("http");
        host.DeadLetters.Records[0].Route.ShouldBe(HttpSourceHost.Route);
        await host.FinishAsync();
    }

    [Fact]
    public async Task Post_PoisonOnTheSecondDelivery_WasFirstSeenOnTheFirst()
    {
        ManualTimeProvider time = new();
        DateTimeOffset first = time.GetUtcNow();
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(time: time);
        host.Intake.Script = delivery => delivery.Count == 1 ? Settlement.Abandon(TimeSpan.FromSeconds(1)) : Settlement.DeadLetter("r", "d");

        using HttpResponseMessage abandoned = await host.Client.PostAsync("/messages", new StringContent("nope"));
        time.Advance(TimeSpan.FromSeconds(2));
        using HttpResponseMessage response = await host.Client.PostAsync("/messages", new StringContent("nope"));

        response.StatusCode.ShouldBe(HttpStatusCode.UnprocessableEntity);
        host.DeadLetters.Records.ShouldHaveSingleItem().FirstSeen.ShouldBe(first);
        await host.FinishAsync();
    }

    [Fact]
    public async Task Post_PoisonAndTheDeadLettersFail_Answers503()
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync();
        host.DeadLetters.Fail(times: 1);
        host.Intake.Script = _ => Settlement.DeadLetter("malformed-json", "No.");

        using HttpResponseMessage response = await host.Client.PostAsync("/messages", new StringContent("nope"));

        response.StatusCode.ShouldBe(HttpStatusCode.ServiceUnavailable);
        response.Headers.RetryAfter!.Delta!.Value.TotalSeconds.ShouldBeGreaterThanOrEqualTo(1);
        (await JsonAsync(response)).GetProperty("error").GetString().ShouldBe("not-stored");
        host.Log.Entries.ShouldContain(entry => entry.Id.Id == 3050);
        await host.FinishAsync();
    }

    [Fact]
    public async Task Post_PoisonAndTheDeadLettersAndTheLogFail_Answers503()
    {
        using FullLog log = new();
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(loggers: log);
        host.DeadLetters.Fail(times: 1);
        host.Intake.Script = _ => Settlement.DeadLetter("malformed-json", "No.");

        using HttpResponseMessage response = await host.Client.PostAsync("/messages", new StringContent("nope"));

        response.StatusCode.ShouldBe(HttpStatusCode.ServiceUnavailable);
        log.Lines.ShouldBeGreaterThan(0);
        await host.FinishAsync();
    }

    [Theory]
    [InlineData("S3 PutObject: ConnectionError", "S3 PutObject: ConnectionError. Send it again after Retry-After seconds.")]
    [InlineData("The store is slow.", "The store is slow. Send it again after Retry-After seconds.")]
    [InlineData("", "The message was not stored. Send it again after Retry-After seconds.")]
    public async Task Post_Abandoned_TheMessageIsMadeOfSentences(string description, string message)
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync();
        host.Intake.Script = _ => Settlement.Abandon(TimeSpan.Zero, description);

        using HttpResponseMessage response = await host.Client.PostAsync("/messages", new StringContent("x"));

        (await JsonAsync(response)).GetProperty("message").GetString().ShouldBe(message);
        await host.FinishAsync();
    }

    [Theory]
    [InlineData(SettlementKind.Abandon, "application/json")]
    [InlineData(SettlementKind.DeadLetter, "application/json")]
    [InlineData(SettlementKind.Abandon, "application/x-ndjson")]
    [InlineData(SettlementKind.DeadLetter, "application/x-ndjson")]
    public async Task Post_AfterAnException_AnswersReasonAndIdAndNeverItsText(SettlementKind kind, string contentType)
    {
        const string Secret = "Login failed for user 'sa' (password s3cret)";
        await using HttpSourceHost host = await HttpSourceHost.StartAsync();
        host.Intake.Script = _ => new Settlement(
            kind, TimeSpan.Zero, kind == SettlementKind.DeadLetter ? "unhandled-exception" : null, $"Failed on delivery 3: {Secret}",
            "Npgsql.PostgresException");

        using HttpResponseMessage response = await host.Client.PostAsync("/messages", new StringContent("x", System.Text.Encoding.UTF8, contentType));

        string answer = await response.Content.ReadAsStringAsync();
        answer.ShouldNotContain("Login failed");
        answer.ShouldNotContain("s3cret");
        answer.ShouldNotContain("Npgsql");
        answer.ShouldContain("\"id\"");
        if (contentType == "application/json" || kind == SettlementKind.DeadLetter)
        {
            answer.ShouldContain("unhandled-exception");
        }

        await host.FinishAsync();
    }

    [Fact]
    public async Task Post_TimedOut_AnswersThatAndNoException()
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync();
        host.Intake.Script =
            _ => Settlement.Abandon(TimeSpan.Zero, "The message took longer than Intake:MessageTimeout.", typeof(TaskCanceledException).FullName);

        using HttpResponseMessage response = await host.Client.PostAsync("/messages", new StringContent("x"));

        string answer = await response.Content.ReadAsStringAsync();
        answer.ShouldContain("The message took longer than Intake:MessageTimeout.");
        answer.ShouldNotContain("exception");
        await host.FinishAsync();
    }

    [Theory]
    [InlineData(null)]
    [InlineData("Quayside.Pipeline.Settlements.DeadLetterException")]
    public async Task Post_DeadLetterWithADescriptionForTheSender_AnswersIt(string? exceptionType)
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync();
        host.Intake.Script = _ => Settlement.DeadLetter("negative-total", "The total is below zero.", exceptionType);

        using HttpResponseMessage response = await host.Client.PostAsync("/messages", new StringContent("x"));

        (await JsonAsync(response)).GetProperty("description").GetString().ShouldBe("The total is below zero.");
        await host.FinishAsync();
    }

    [Theory]
    [InlineData(0, 1)]
    [InlineData(1_000, 1)]
    [InlineData(1_001, 2)]
    [InlineData(864_000_000, 3_600)]
    public async Task Post_Abandoned_Answers503WithItsDelay(int milliseconds, int seconds)
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync();
        host.Intake.Script = _ => Settlement.Abandon(TimeSpan.FromMilliseconds(milliseconds), "The store is slow.");

        using HttpResponseMessage response = await host.Client.PostAsync("/messages", new StringContent("x"));

        response.StatusCode.ShouldBe(HttpStatusCode.ServiceUnavailable);
        response.Headers.RetryAfter!.Delta.ShouldBe(TimeSpan.FromSeconds(seconds));
        JsonElement json = await JsonAsync(response);
        json.GetProperty("error").GetString().ShouldBe("not-stored");
        json.GetProperty("message").GetString()!.ShouldStartWith("The store is slow.");
        json.GetProperty("id").GetString()!.Length.ShouldBe(32);
        await host.FinishAsync();
    }

    [Fact]
    public async Task Post_AbandonedOrDeadLettered_TheAnswerHasNoPathOfTheServer()
    {
        const string reason = "Access to the path '/srv/worker/data/p/x.json' is denied.";
        await using HttpSourceHost host = await HttpSourceHost.StartAsync();
        host.Intake.Script = delivery => delivery.Body[0] == '1' ? Settlement.Abandon(TimeSpan.Zero, reason) : Settlement.DeadLetter("sink-rejected", reason);
        foreach (string type in new[] { "application/json", "application/x-ndjson" })
        {
            foreach (string body in new[] { "1", "2" })
            {
                using StringContent content = new(body, Encoding.UTF8, type);
                using HttpResponseMessage response = await host.Client.PostAsync("/messages", content);

                response.IsSuccessStatusCode.ShouldBeFalse();
                (await response.Content.ReadAsStringAsync()).ShouldNotContain("/srv");
            }
        }

        await host.FinishAsync();
    }

    [Fact]
    public async Task Post_LongestId_IsKeptBeforeTheLinesHash()
    {
        string id = new('~', 256);
        await using HttpSourceHost host = await HttpSourceHost.StartAsync();
        host.Intake.Script = _ => Settlement.Complete;
        using StringContent content = new("1\n2\n", Encoding.UTF8, "application/x-ndjson");
        content.Headers.Add("X-Message-Id", id);

        using HttpResponseMessage response = await host.Client.PostAsync("/messages", content);

        JsonElement results = (await JsonAsync(response)).GetProperty("results");
        results[1].GetProperty("id").GetString().ShouldBe($"{id}-{Convert.ToHexStringLower(SHA256.HashData("2"u8))[..32]}");
        await host.FinishAsync();
    }

    [Fact]
    public async Task Stop_WhileABodyArrives_AnswersImmediately()
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync(time: new ManualTimeProvider());
        await using RawConnection connection = await host.ConnectAsync("POST /messages HTTP/1.1\nHost: x\nContent-Length: 100\n\nhalf");
        await host.UntilTakenAsync(4);

        await host.StopReceivingAsync();

        RawAnswer answer = await connection.ReadAsync();
        answer.Status.ShouldBe(503);
        answer.Body.ShouldContain("stopping");
        await host.FinishAsync();
    }

    [Fact]
    public async Task Close_AnAnswerIsDue_WaitsForIt()
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync();
        await using RawConnection connection = await host.ConnectAsync("POST /messages HTTP/1.1\nHost: x\nContent-Length: 2\n\nhi");
        Delivery delivery = await host.Intake.NextAsync();
        await host.StopReceivingAsync();
        Task closing = host.Source.CloseAsync(CancellationToken.None);
        closing.IsCompleted.ShouldBeFalse();

        await delivery.SettleAsync(Settlement.Complete);

        await closing.WaitAsync(TimeSpan.FromSeconds(60));
        (await connection.ReadAsync()).Status.ShouldBe(200);
        await host.FinishAsync();
    }

    [Fact]
    public async Task Close_TimeoutEnds_ReturnsAndLogsIt()
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync();
        await using RawConnection connection = await host.ConnectAsync("POST /messages HTTP/1.1\nHost: x\nContent-Length: 2\n\nhi");
        Delivery delivery = await host.Intake.NextAsync();
        await host.StopReceivingAsync();

        await host.Source.CloseAsync(new CancellationToken(canceled: true));

        host.Log.Entries.ShouldContain(entry => entry.Id.Id == 3051);
        await delivery.SettleAsync(Settlement.Complete);
        await host.FinishAsync();
    }

    [Fact]
    public async Task Post_ManyConcurrently_EachIsAnsweredWithItsOwnResult()
    {
        await using HttpSourceHost host = await HttpSourceHost.StartAsync();
        host.Intake.Script = delivery => (int.Parse(Encoding.ASCII.GetString(delivery.Body)) % 3) switch
        {
            0 => Settlement.Complete,
            1 => Settlement.DeadLetter("odd", Encoding.ASCII.GetString(delivery.Body)),
            _ => Settlement.Abandon(TimeSpan.FromSeconds(1), Encoding.ASCII.GetString(delivery.Body)),
        };
        await Parallel.ForAsync(0, 600, new ParallelOptions { MaxDegreeOfParallelism = 32 }, async (n, _) =>
        {
            using ByteArrayContent content = new(Encoding.ASCII.GetBytes($"{n}"));
            content.Headers.Add("X-Message-Id", $"id-{n}");
            using HttpResponseMessage response = await host.Client.PostAsync("/messages/ORDERS", content);
            JsonElement json = await JsonAsync(response);
            ((int)response.StatusCode).ShouldBe((n % 3) switch { 0 => 200, 1 => 422, _ => 503 });
            json.GetProperty("id").GetString().ShouldBe($"id-{n}");
            if (n % 3 == 1)
            {
                json.GetProperty("description").GetString().ShouldBe($"{n}");
            }
        });
        await host.FinishAsync();
    }

    internal static async Task<JsonElement> JsonAsync(HttpResponseMessage response) =>
        JsonDocument.Parse(await response.Content.ReadAsByteArrayAsync()).RootElement;
}
