using System.Net;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using Integration.Tests.Faults;
using Integration.Tests.Faults.S3;
using Integration.Tests.Servers;

namespace Integration.Tests.Worker;

/// <summary>
/// Plants secrets in all inputs of the worker and searches every output for them at log level Trace: no output for a person or a log
/// collector holds a credential, a body or a receipt handle.
/// </summary>
public sealed class SecretCanaryTests(AwsServer aws, RealS3 realS3)
{
    private const string AccessKey = "AKIACANARYACCESSKEY0";
    private const string SecretKey = "canary/secret+key/0123456789012345678901";
    private const string SessionToken = "canary-session-token-IQoJb3JpZ2luX2VjEXAMPLE";
    private const string BodySecret = "canary-body-4929-1234-5678-9012";

    private static readonly string[] Trace = ["--Logging:LogLevel:Default=Trace", "--Logging:LogLevel:Microsoft=Trace"];

    private static readonly string[] Bodies =
    [
        $$"""{"MessageId":"good","Product":"Shop","Payload":"{{BodySecret}}"}""",
        $$"""{"MessageId":"broken","Payload":"{{BodySecret}}" oops}""",
        $$$"""{"MessageId":{"secret":"{{{BodySecret}}}"}}""",
        $$"""{"Product":"Shop","Payload":"{{BodySecret}}"}""",
        $$"""{"MessageId":"dated","EventDateUtc":"{{BodySecret}}"}""",
        $$"""{"MessageId":"twice","MessageId":"{{BodySecret}}"}""",
        $"{BodySecret}",
    ];

    [Theory]
    [InlineData(false, "Sdk")]
    [InlineData(true, "Auto")]
    public async Task Run_SqsToS3AtTrace_ShowsNoSecretAnywhere(bool credentialsFromTheEnvironment, string s3Client)
    {
        await using FauxqsServer server = await FauxqsServer.RequireOwnAsync();
        using SqsQueue deadLetters = await SqsQueue.CreateAsync(server.Endpoint);
        using SqsQueue queue = await SqsQueue.CreateAsync(server.Endpoint, deadLetters: deadLetters);
        await using var sink = (FaultyS3UnderTest)await SinkUnderTest.CreateAsync(SinkKind.FaultyS3, aws, realS3);
        await using var proxy = new TcpFaultProxy(server.Endpoint.ServiceUrl);
        (string[] credentials, Dictionary<string, string> environment) = Credentials(credentialsFromTheEnvironment);
        var handles = new HashSet<string>(StringComparer.Ordinal);
        var seen = new StringBuilder();
        await using (RunningWorker worker = await RunningWorker.StartAsync(
            [
                "--Routes:archive:Source=Sqs,Http", $"--Sources:Sqs:Queue={queue.Name}", "--Sources:Sqs:VisibilityTimeout=30s", "--Sources:Sqs:WaitTime=1s",
                $"--Aws:Endpoint={proxy.Url}", "--Aws:Region=us-east-1", "--Routes:archive:Sink=S3",
                "--Sinks:S3:Bucket=archive", $"--Sinks:S3:Client={s3Client}",
                $"--Sinks:S3:Endpoint={sink.Server.Endpoint.ServiceUrl}", "--Sinks:S3:AttemptTimeout=2s", "--Recoverability:BreakerOpen=500ms",
                "--Hosting:DrainTimeout=1s",
                .. credentials, .. Trace,
            ],
            environment))
        {
            foreach (string body in Bodies)
            {
                (HttpStatusCode status, _) = await worker.PostAsync(Encoding.UTF8.GetBytes(body));
                status.ShouldBe(body == Bodies[0] ? HttpStatusCode.OK : HttpStatusCode.UnprocessableEntity);
            }

            // Each kind of store failure logs its own line.
            int next = sink.Puts + 1;
            sink.Server.Script = FaultScript.Empty
                .OnPut(next, S3Fault.ExpiredToken).OnPut(next + 1, S3Fault.AccessDenied).OnPut(next + 2, S3Fault.SlowDown)
                .OnPut(next + 3, S3Fault.CommitThenReset).OnPut(next + 4, S3Fault.NoSuchBucket).OnPuts(next + 5, int.MaxValue, S3Fault.HangBeforeCommit);
            await queue.SendAllAsync(Bodies);
            foreach (ArchiveMessage message in ArchiveMessage.CreateMany("good", 20))
            {
                await queue.SendAsync(message.Text.Replace("xxxx", BodySecret, StringComparison.Ordinal));
            }

            await Eventually.BecomesTrueAsync(() => sink.Server.InFlight > 0, "a store hangs");
            handles.UnionWith(await queue.HandlesInFlightAsync());
            // Ends the visibility timeouts and cuts off the queue's answers: renewals, deletes and returns all fail.
            await queue.ExpireVisibilityAsync();
            int lines = worker.Process.Output.Snapshot().Length;
            proxy.Set(new TcpFault.ResetAfter(40), times: 20);
            await worker.Process.WaitForLineAsync("receiving failed", from: lines);
            handles.UnionWith(await queue.HandlesInFlightAsync());
            seen.AppendLine(await worker.ReadPageAsync("/healthz/live")).AppendLine(await worker.ReadPageAsync("/healthz/ready"));
            seen.AppendLine(await worker.ReadPageAsync("/")).AppendLine(await worker.ReadPageAsync("/messages"));
            await worker.StopAsync();
            seen.Append(worker.Process.Output.Describe(int.MaxValue));
            IReadOnlyList<(JsonNode Record, byte[] Body)> folder = DeadLetterFolder.Read(Path.Combine(worker.Process.WorkingDirectory, "dead-letters"));
            folder.Count.ShouldBe(Bodies.Length - 1);
            folder.ToList().ForEach(letter => seen.AppendLine(letter.Record.ToJsonString()));
        }

        List<SqsMessage> letters = await deadLetters.DrainAsync();
        letters.ShouldNotBeEmpty();
        letters.ForEach(letter => seen.AppendLine(JsonSerializer.Serialize(letter.Attributes)));

        handles.ShouldNotBeEmpty();
        seen.ToString().ShouldContain("trce");
        seen.ToString().ShouldContain("is dead-lettered as");
        ShouldShowNoSecret(seen.ToString(), handles);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Commands_ThatFailOrSucceed_ShowNoSecret(bool credentialsFromTheEnvironment)
    {
        AwsEndpoint endpoint = await aws.RequireAsync();
        (string[] credentials, Dictionary<string, string> environment) = Credentials(credentialsFromTheEnvironment);
        string[] sqs = [
            "--Routes:archive:Source=Sqs", "--Sources:Sqs:Queue=no-such-queue", $"--Aws:Endpoint={endpoint.ServiceUrl}", "--Aws:Region=us-east-1",
            .. credentials, .. Trace];
        WorkerCommand[] results =
        [
            await WorkerCommand.RunAsync(["validate", .. sqs], environment),
            await WorkerCommand.RunAsync([.. RunningWorker.CommonArguments, .. sqs], environment),
            await WorkerCommand.RunAsync(["publish", "--to", "sqs", .. sqs], environment),
            await WorkerCommand.RunAsync(["redrive", "--from", "sqs", .. sqs], environment),
        ];

        foreach (WorkerCommand result in results)
        {
            ShouldShowNoSecret(result.Text, []);
        }
    }

    [Fact]
    public async Task Validate_EveryErrorThatInvolvesASecret_ShowsNone()
    {
        string[][] commands =
        [
            [$"--Aws:SecretAccessKey={SecretKey}", "--Sources:Sqs:Queue=q", "--Routes:archive:Source=Sqs"],
            [$"--Sinks:S3:AccessKeyId={AccessKey}", "--Sinks:S3:Profile=p", "--Sinks:S3:Bucket=bucket", "--Routes:archive:Sink=S3"],
            [$"--Sinks:S3:SessionToken={SessionToken}", "--Sinks:S3:Bucket=bucket", "--Routes:archive:Sink=S3"],
            [$"--Sinks:S3:SecretAccesKey={SecretKey}", "--Sinks:S3:Bucket=bucket", "--Routes:archive:Sink=S3"],
            [$"--Aws:Endpoint=http://user:{SecretKey.Replace("/", "", StringComparison.Ordinal)}@127.0.0.1:1", "--Sources:Sqs:Queue=q",
                "--Routes:archive:Source=Sqs"],
        ];
        foreach (string[] arguments in commands)
        {
            WorkerCommand result = await WorkerCommand.RunAsync(["validate", .. arguments]);

            result.ExitCode.ShouldBe(78, result.Text);
            ShouldShowNoSecret(result.Text, []);
        }
    }

    private static (string[] Arguments, Dictionary<string, string> Environment) Credentials(bool fromTheEnvironment) => fromTheEnvironment
        ? ([], new Dictionary<string, string>(StringComparer.Ordinal)
        { ["AWS_ACCESS_KEY_ID"] = AccessKey, ["AWS_SECRET_ACCESS_KEY"] = SecretKey, ["AWS_SESSION_TOKEN"] = SessionToken })
        : ([$"--Aws:AccessKeyId={AccessKey}", $"--Aws:SecretAccessKey={SecretKey}", $"--Aws:SessionToken={SessionToken}"], []);

    private static void ShouldShowNoSecret(string output, IReadOnlyCollection<string> handles)
    {
        string slashless = SecretKey.Replace("/", "", StringComparison.Ordinal);
        foreach (string secret in (string[])[AccessKey, SecretKey, slashless, SessionToken, BodySecret, .. handles])
        {
            string[] lines = [.. output.Split('\n').Where(line => line.Contains(secret, StringComparison.OrdinalIgnoreCase))];
            lines.ShouldBeEmpty($"'{secret}' is shown");
        }
    }
}
