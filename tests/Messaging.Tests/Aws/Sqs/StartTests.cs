using System.Text.Json;
using Quayside.Messaging.Aws.Sqs;
using Quayside.Messaging.Configuration;

namespace Messaging.Tests.Aws.Sqs;

[Collection(OneThreadCollection.Name)]
public sealed class StartTests
{
    private const int Unreachable = 3209;

    [Fact]
    public async Task Check_QueueAndDeadLettersExist_Passes()
    {
        await using SqsRun run = SqsRun.Create();

        await run.Source.CheckAsync(CancellationToken.None);

        run.Source.Problem.ShouldBeNull();
        run.Queue.Calls.Where(call => call.Operation == "GetQueueUrl").Select(call => call.Text("QueueName")).ShouldBe(["orders", "dead"]);
    }

    [Fact]
    public async Task Check_QueueIsMissing_SaysWhatToDo()
    {
        await using SqsRun run = SqsRun.Create();
        run.Queue.Missing["orders"] = true;

        await FailAsync(run, ExitCodes.Unavailable, "Sources:Sqs:Queue", "no queue orders", "Create it", "Aws:Region");
    }

    [Theory]
    [InlineData(null, "dead")]
    [InlineData("other", "other")]
    [InlineData("arn:aws:sqs:eu-west-1:123456789012:other", "other")]
    [InlineData("https://sqs.eu-west-1.amazonaws.com/123456789012/other", "other")]
    public async Task Check_DeadLetterQueueIsMissing_SaysWhatToDo(string? configured, string missing)
    {
        await using SqsRun run = SqsRun.Create(options: new SqsSourceOptions { Queue = "orders", DeadLetterQueue = configured });
        run.Queue.Missing[missing] = true;

        await FailAsync(run, ExitCodes.Unavailable, "Sources:Sqs:DeadLetterQueue", $"no queue {missing}", "Create it");
    }

    [Theory]
    [InlineData("GetQueueUrl", 403, "AccessDenied")]
    [InlineData("GetQueueUrl", 403, "InvalidClientTokenId")]
    [InlineData("GetQueueUrl", 403, "ExpiredToken")]
    [InlineData("GetQueueAttributes", 403, "AccessDenied")]
    public async Task Check_AccessIsRefused_NamesCredentialsAndPolicy(string operation, int status, string code)
    {
        await using SqsRun run = SqsRun.Create();
        run.Queue.Script = call => call.Operation == operation ? QueueAnswer.Error(status, code) : null;

        await FailAsync(run, ExitCodes.NoPermission, "orders", "credentials", "deploy/iam/worker-policy.json", code);
    }

    [Theory]
    [InlineData("GetQueueUrl", "Queue dead")]
    [InlineData("GetQueueAttributes", "Queue orders")]
    public async Task Check_ServerDoesNotSpeakTheProtocol_SaysWhatItAnsweredAndEndsTheStart(string operation, string queue)
    {
        const string Answer =
            "<ErrorResponse><Error><Type>Sender</Type><Code>InvalidAction</Code><Message>Missing parameter Action</Message></Error></ErrorResponse>";
        await using SqsRun run = SqsRun.Create();
        run.Queue.Script =
            call => call.Operation == operation && (operation != "GetQueueUrl" || call.Text("QueueName") == "dead") ? new QueueAnswer(400, Answer) : null;

        await FailAsync(run, ExitCodes.Configuration, queue, "HTTP 400", "InvalidAction: Missing parameter Action", "JSON protocol", "Aws:Endpoint");
    }

    [Theory]
    [InlineData(302)]
    [InlineData(403)]
    [InlineData(404)]
    public async Task Check_PageOfAProxy_IsAProblemUntilSqsAnswers(int status)
    {
        await using SqsRun run = SqsRun.Create();
        run.Queue.Script = _ => new QueueAnswer(status, "<html>\n<h1>Sign in</h1>");

        await run.BeginAsync();

        run.HasLogged(Unreachable).ShouldBeTrue();
        await run.PassUntilAsync(
            () => run.Source.Problem
                == $"GetQueueUrl failed: HTTP {status}: the address answers, but is not SQS. It sent \"<html> <h1>Sign in</h1>\": "
                    + "check Aws:Endpoint, AWS_ENDPOINT_URL_SQS and Sources:Sqs:Queue",
            $"The problem does not quote the page: {run.Source.Problem}");
        run.Queue.Script = _ => null;
        run.Queue.Deliver(FakeMessage.New("a"));
        await run.PassUntilAsync(() => run.Intake.Accepted == 1, "It did not recover.");
        await (await run.Intake.NextAsync()).SettleAsync(Quayside.Pipeline.Settlements.Settlement.Complete);
        await run.EndAsync();
    }

    [Theory]
    [InlineData("<html>\n<h1>Sign in</h1>", "the address answers, but is not SQS. It sent \"<html> <h1>Sign in</h1>\": check Aws:Endpoint")]
    [InlineData("{\"QueueUrl\":", "the answer does not have the documented form: check Aws:Endpoint")]
    public async Task Check_SuccessThatIsNotOfSqs_IsAProblem(string answer, string expected)
    {
        await using SqsRun run = SqsRun.Create();
        run.Queue.Script = _ => new QueueAnswer(200, answer);

        await run.Source.CheckAsync(CancellationToken.None);

        run.Source.Problem.ShouldNotBeNull().ShouldContain(expected);
    }

    [Fact]
    public async Task Check_DeadLetterQueueRefusesAccess_NamesIt()
    {
        await using SqsRun run = SqsRun.Create();
        run.Queue.Script = call => call.Operation == "GetQueueUrl" && call.Text("QueueName") == "dead" ? QueueAnswer.Error(403, "AccessDenied") : null;

        await FailAsync(run, ExitCodes.NoPermission, "Queue dead", "credentials");
    }

    [Fact]
    public async Task Check_NoDeadLetterQueueAnywhere_IsRefused()
    {
        await using SqsRun run = SqsRun.Create();
        run.Queue.Attributes.TryRemove("RedrivePolicy", out _);

        await FailAsync(run, ExitCodes.Configuration, "no dead-letter queue", "redrive policy", "Sources:Sqs:DeadLetterQueue");
    }

    [Theory]
    [InlineData("1")]
    [InlineData("\"1\"")]
    public async Task Check_MaxReceiveCountIsOne_IsRefused(string count)
    {
        await using SqsRun run = SqsRun.Create();
        run.Queue.Attributes["RedrivePolicy"] = $$"""{"deadLetterTargetArn":"arn:aws:sqs:eu-west-1:123456789012:dead","maxReceiveCount":{{count}}}""";

        await FailAsync(run, ExitCodes.Configuration, "maxReceiveCount 1", "Set it to 10");
    }

    [Theory]
    [InlineData(false, "arn:aws:sqs:eu-west-1:123456789012:dead.fifo")]
    [InlineData(true, "arn:aws:sqs:eu-west-1:123456789012:dead")]
    public async Task Check_FifoAndStandardMixed_IsRefused(bool isFifo, string deadLetters)
    {
        await using SqsRun run = SqsRun.Create(isFifo);
        run.Queue.Attributes["RedrivePolicy"] = JsonSerializer.Serialize(new { deadLetterTargetArn = deadLetters, maxReceiveCount = 10 });

        await FailAsync(run, ExitCodes.Configuration, "a FIFO queue needs a FIFO dead-letter queue");
    }

    [Theory]
    [InlineData("orders")]
    [InlineData("https://vpce-1.sqs.eu-west-1.vpce.amazonaws.com/123456789012/orders")]
    [InlineData("http://localhost:9324/queue/orders")]
    public async Task Check_DeadLetterQueueIsTheQueueItself_IsRefused(string queue)
    {
        await using SqsRun run = SqsRun.Create(options: new SqsSourceOptions { Queue = queue, DeadLetterQueue = "arn:aws:sqs:eu-west-1:123456789012:orders" });

        await FailAsync(run, ExitCodes.Configuration, "the queue itself");
    }

    [Fact]
    public async Task Check_DeadLetterQueueHasTheNameInAnotherAccount_Passes()
    {
        await using SqsRun run = SqsRun.Create(
            options: new SqsSourceOptions { Queue = "https://sqs.eu-west-1.amazonaws.com/999999999999/orders", DeadLetterQueue = "orders" });

        await run.Source.CheckAsync(CancellationToken.None);

        run.Source.Problem.ShouldBeNull();
    }

    [Theory]
    [InlineData("InternalError")]
    [InlineData("lost")]
    public async Task Check_QueueUnreachable_PassesAndRecoversWhenItAnswers(string failure)
    {
        await using SqsRun run = SqsRun.Create();
        run.Queue.Script = _ => failure == "lost" ? QueueAnswer.Lost : QueueAnswer.InternalError;
        await run.BeginAsync();
        run.HasLogged(Unreachable).ShouldBeTrue();
        await run.PassUntilAsync(() => run.Source.Problem is not null, "The source does not report that the queue is out of reach.");

        run.Queue.Script = _ => null;
        run.Queue.Deliver(FakeMessage.New("a"));
        await run.PassUntilAsync(() => run.Intake.Accepted == 1, "It did not recover.");

        run.Source.Problem.ShouldBeNull();
        await (await run.Intake.NextAsync()).SettleAsync(Quayside.Pipeline.Settlements.Settlement.Complete);
        await run.EndAsync();
    }

    [Fact]
    public async Task Receive_QueueIsUnreachableFromTheStart_OneLoopLooksForIt()
    {
        await using SqsRun run = SqsRun.Create(concurrency: 200);
        run.Queue.Script = _ => QueueAnswer.InternalError;
        await run.BeginAsync();
        int before = run.Queue.Calls.Count;

        await run.PassAsync(TimeSpan.FromMinutes(5));

        // Pauses of 15 s on average, and a few short ones at first.
        (run.Queue.Calls.Count - before).ShouldBeInRange(5, 60);
        run.Queue.Script = _ => null;
        run.Queue.Deliver(FakeMessage.New("a"));
        await run.PassUntilAsync(() => run.Intake.Accepted == 1, "It did not recover.");
        await (await run.Intake.NextAsync()).SettleAsync(Quayside.Pipeline.Settlements.Settlement.Complete);
        await run.EndAsync();
    }

    [Fact]
    public async Task Problem_QueueHasNotAnswered_IsReported()
    {
        await using SqsRun run = SqsRun.Create();
        run.Source.Problem.ShouldNotBeNull();

        run.Queue.Script = _ => QueueAnswer.InternalError;
        await run.Source.CheckAsync(CancellationToken.None);

        run.Source.Problem.ShouldNotBeNull();
    }

    [Fact]
    public async Task Receive_QueueFoundLaterCannotBeUsed_IsReportedAndReceivingGoesOnOnceItIsFixed()
    {
        await using SqsRun run = SqsRun.Create();
        run.Queue.Script = _ => QueueAnswer.InternalError;
        await run.BeginAsync();
        string policy = run.Queue.Attributes["RedrivePolicy"];
        run.Queue.Attributes.TryRemove("RedrivePolicy", out _);
        run.Queue.Script = _ => null;

        await run.PassUntilAsync(
            () => run.Source.Problem?.Contains("no dead-letter queue", StringComparison.Ordinal) == true,
            "The problem does not say what the operator has to do.");
        run.Queue.Receives.ShouldBeEmpty();

        run.Queue.Attributes["RedrivePolicy"] = policy;
        run.Queue.Deliver(FakeMessage.New("a"));
        await run.PassUntilAsync(() => run.Intake.Accepted == 1, "It did not recover.");
        run.Source.Problem.ShouldBeNull();
        await (await run.Intake.NextAsync()).SettleAsync(Quayside.Pipeline.Settlements.Settlement.Complete);
        await run.EndAsync();
    }

    private static async Task FailAsync(SqsRun run, int exitCode, params string[] parts)
    {
        StartupException refused = await Should.ThrowAsync<StartupException>(run.Source.CheckAsync(CancellationToken.None));

        refused.ExitCode.ShouldBe(exitCode);
        foreach (string part in parts)
        {
            refused.Message.ShouldContain(part);
        }
    }
}
