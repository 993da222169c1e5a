using Quayside.Messaging.CommandLine;
using Quayside.Messaging.Planning;
using Shared.Hosting;

namespace Messaging.Tests.Hosting;

/// <summary>Settings that lose or expose messages: an error when they are always wrong, a warning when an operator may intend them.</summary>
public sealed class UnsafeSettingsTests
{
    private const string Http = "Hosting:Url=http://0.0.0.0:0";
    private const string FsyncWarning = "Sinks:Directory:Fsync = \"false\": acknowledges messages before they are on the disk.";

    [Fact]
    public void Plan_Defaults_WarnOfNothing() => Plan().Warnings.ShouldBeEmpty();

    [Fact]
    public void Plan_QueueIntoMemory_IsAnError() =>
        ErrorsOf("Routes:archive:Source=Sqs, Http", "Routes:archive:Sink=Memory", "Sources:Sqs:Queue=orders").ShouldBe([
            "Routes:archive:Sink = \"Memory\": must be a durable sink, because the route receives from Sqs; "
                + "set Sinks:Memory:AllowLoss=true for a test or a benchmark. "
                + "Messages would be deleted from the queue and lost when the process ends.",
        ]);

    [Theory]
    [InlineData("Sinks:Memory:AllowLoss=true")]
    [InlineData("Routes:archive:Sinks:Memory:AllowLoss=true")]
    public void Plan_QueueIntoMemoryAllowed_IsAWarning(string allowed)
    {
        WorkerPlan plan = Plan("Routes:archive:Source=Sqs", "Routes:archive:Sink=Memory", "Sources:Sqs:Queue=orders", allowed);

        plan.Errors.ShouldBeEmpty();
        plan.Warnings
            .ShouldHaveSingleItem()
            .ToString()
            .ShouldStartWith("Routes:archive:Sink = \"Memory\": keeps objects only as long as the process runs (Sinks:Memory:AllowLoss allows it).");
    }

    [Theory]
    [InlineData("Channel", false)]
    [InlineData("Udp", false)]
    [InlineData("Http", true)]
    [InlineData("Channel, tcplines", true)]
    public void Plan_MemorySinkForAnAcknowledgingSource_IsAWarning(string sources, bool warns)
    {
        WorkerPlan plan = Plan($"Routes:archive:Source={sources}", "Routes:archive:Sink=Memory", "Sources:TcpLines:Acknowledge=true");

        plan.Errors.ShouldBeEmpty();
        plan.Warnings.Count(warning => warning.Key == "Routes:archive:Sink").ShouldBe(warns ? 1 : 0);
    }

    [Theory]
    [InlineData("Sinks:Directory:Fsync=false", FsyncWarning)]
    [InlineData("Routes:archive:Sinks:Directory:Fsync=false", "Routes:archive:" + FsyncWarning)]
    [InlineData(Http, "Hosting:Url = \"http://0.0.0.0:0/\": accepts messages from other machines without TLS or authentication.")]
    [InlineData(
        "Hosting:Url=http://192.0.2.1:8080", "Hosting:Url = \"http://192.0.2.1:8080/\": accepts messages from other machines without TLS or authentication.")]
    public void Plan_UnsafeSetting_IsAWarning(string key, string warning)
    {
        WorkerPlan plan = Plan(key);

        plan.Errors.ShouldBeEmpty();
        plan.Warnings.ShouldHaveSingleItem().ToString().ShouldStartWith(warning);
    }

    [Theory]
    [InlineData("TcpLines", "0.0.0.0:0", "accepts lines from other machines without TLS or authentication.")]
    [InlineData("TcpLines", "[::]:0", "accepts lines from other machines without TLS or authentication.")]
    [InlineData("Udp", "0.0.0.0:0", "accepts datagrams from other machines; UDP has neither TLS nor authentication, and a sender's address can be forged.")]
    public void Plan_ListeningBeyondLoopback_IsAWarning(string source, string endpoint, string warning)
    {
        WorkerPlan plan = Plan($"Routes:archive:Source={source}", $"Sources:{source}:Endpoint={endpoint}");

        plan.Errors.ShouldBeEmpty();
        plan.Warnings.ShouldHaveSingleItem().ToString().ShouldStartWith($"Sources:{source}:Endpoint = \"{endpoint}\": {warning}");
    }

    [Theory]
    [InlineData("Hosting:Url=http://0.0.0.0:0", "Routes:archive:Source=Channel")]
    [InlineData("Hosting:Url=http://localhost:0")]
    [InlineData("Hosting:Url=http://[::1]:0")]
    [InlineData("Sources:Udp:Endpoint=0.0.0.0:0")]
    [InlineData("Sources:TcpLines:Endpoint=127.0.0.2:0", "Routes:archive:Source=TcpLines")]
    [InlineData("Sinks:Directory:Fsync=false", "Routes:archive:Sink=Memory", "Routes:archive:Source=Channel")]
    public void Plan_NothingIsExposed_WarnsOfNothing(params string[] keys)
    {
        WorkerPlan plan = Plan(keys);

        plan.Errors.ShouldBeEmpty();
        plan.Warnings.ShouldBeEmpty();
    }

    [Theory]
    [InlineData("data", "data")]
    [InlineData("data", "./data/")]
    [InlineData("data", "data/dead-letters")]
    [InlineData("letters/data", "letters")]
    [InlineData("/var/lib/worker", "/var/lib/worker/../worker/dead")]
    public void Plan_DeadLettersAndObjectsInOneFolder_IsAnError(string objects, string letters) =>
        ErrorsOf($"Sinks:Directory:Path={objects}", $"DeadLetters:Path={letters}").ShouldBe([
            $"DeadLetters:Path = \"{letters}\": must be separate from the folder of the objects (Sinks:Directory:Path = {objects}): "
                + "not the same, and neither inside the other. "
                + "Objects and dead letters would mix, and redrive would read objects as dead letters.",
        ]);

    [Theory]
    [InlineData("data", "data2")]
    [InlineData("a/data", "a/dead-letters")]
    public void Plan_DeadLettersBesideTheObjects_AreValid(string objects, string letters) =>
        ErrorsOf($"Sinks:Directory:Path={objects}", $"DeadLetters:Path={letters}").ShouldBeEmpty();

    [Theory]
    [InlineData("Handlers:Archive:KeyPrefix=.tmp", "Handlers:Archive:KeyPrefix = \".tmp\"")]
    [InlineData("Handlers:Archive:KeyPrefix=.tmp/x", "Handlers:Archive:KeyPrefix = \".tmp/x\"")]
    [InlineData("Handlers:Archive:Template=.tmp/{MessageId}.json", "Handlers:Archive:Template = \".tmp/{MessageId}.json\"")]
    [InlineData("Routes:archive:Handlers:Archive:Template=.tmp/{MessageId}.json", "Handlers:Archive:Template = \".tmp/{MessageId}.json\"")]
    [InlineData("Handlers:Archive:Template={d:yyyy}/.tmp/{MessageId}", "Handlers:Archive:Template = \"{d:yyyy}/.tmp/{MessageId}\"")]
    [InlineData("Handlers:Archive:Template={d:yyyy}/.t{x:keep}/{MessageId}", "Handlers:Archive:Template = \"{d:yyyy}/.t{x:keep}/{MessageId}\"")]
    [InlineData("Handlers:Archive:Template={d:yyyy/MM}/{e:yyyy}/.tmp/{MessageId}", "Handlers:Archive:Template = \"{d:yyyy/MM}/{e:yyyy}/.tmp/{MessageId}\"")]
    [InlineData("Handlers:Archive:Template={d:yyyy}/.t{MessageId}/{x}", "Handlers:Archive:Template = \"{d:yyyy}/.t{MessageId}/{x}\"")]
    public void Plan_KeysInTheFolderOfUnfinishedFiles_AreAnError(string key, string shown) =>
        ErrorsOf(key).ShouldHaveSingleItem().ShouldStartWith($"{shown}: must not begin with .tmp");

    [Theory]
    [InlineData("Handlers:Archive:Template=x/.tmp/{MessageId}.json")]
    [InlineData("Handlers:Archive:Template={d:yyyy}/x/.tmp/{MessageId}.json")]
    [InlineData("Handlers:Archive:Template={d:yyyy}/.{d:MM}/{MessageId}.json")]
    [InlineData("Handlers:Archive:Template={d:yyyy}/.tmp{MessageId}.json")]
    [InlineData("Handlers:Archive:Template=.tmp/{MessageId}.json", "Routes:archive:Sink=Memory", "Routes:archive:Source=Channel")]
    public void Plan_KeysElsewhere_AreValid(params string[] keys) => ErrorsOf(keys).ShouldBeEmpty();

    [Fact]
    public void Plan_RuleOfASectionNoRouteUses_IsAnError() =>
        Plan("Sources:Sqs:VisibilityTimeout=20m", "Sources:TcpLines:Certificate=cert.pem", "Aws:SecretAccessKey=x").Errors.Select(error => error.Key).ShouldBe(
            ["Sources:Sqs:MaxHoldTime", "Sources:TcpLines:CertificateKey", "Aws:AccessKeyId"],
            ignoreOrder: true);

    [Fact]
    public void Plan_MistakesInAnOverrideItsRouteDoesNotUse_AreNamed() =>
        ErrorsOf("Routes:archive:Sources:Sqs:WaitTime=soon", "Routes:archive:Sinks:S3:Bukket=x", "Routes:archive:Sources:Udp:Endpoint=nowhere")
            .Select(error => error.Split(' ')[0])
            .ShouldBe(
                ["Routes:archive:Sources:Sqs:WaitTime", "Routes:archive:Sinks:S3:Bukket:", "Routes:archive:Sources:Udp:Endpoint"],
                ignoreOrder: true);

    [Theory]
    [InlineData("Sources:ServiceBus:PrefetchCount=5")]
    [InlineData("Sources:Sqs:DoneIds=5")]
    [InlineData("Sinks:Elasticsearch:Index=logs")]
    [InlineData("Sinks:S3:Client=Sdk")]
    [InlineData("Sinks:S3:TotalTimeout=30s")]
    public void Plan_UnusedSectionWithOneKey_RequiresNoOther(string key) => ErrorsOf(key).ShouldBeEmpty();

    private static WorkerPlan Plan(params string[] keys) =>
        WorkerHost.Plan(WorkerConfiguration.Build(configFile: null, [.. keys.Select(key => $"--{key}")], readSettingsFile: false));

    private static IEnumerable<string> ErrorsOf(params string[] keys) => Plan(keys).Errors.Select(error => error.ToString());
}
