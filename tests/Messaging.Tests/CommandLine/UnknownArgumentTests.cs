using System.CommandLine;
using Quayside.Messaging.CommandLine;
using Quayside.Messaging.Hosting;

namespace Messaging.Tests.CommandLine;

/// <summary>An argument that is neither a command, an option nor a setting is reported with what it may have meant.</summary>
public sealed class UnknownArgumentTests
{
    private static readonly Option<string?> Config = new("--config", "-c");

    [Theory]
    [InlineData("validat", "Did you mean validate?")]
    [InlineData("redriv", "Did you mean redrive?")]
    [InlineData("help", "Did you mean --help?")]
    [InlineData("--hlep", "Did you mean --help?")]
    [InlineData("--dmeo", "Did you mean --demo?")]
    [InlineData("-demo", "Did you mean --demo?")]
    [InlineData("demo", "Did you mean --demo?")]
    [InlineData("--confg", "Did you mean --config?")]
    [InlineData("--confg=a.json", "Did you mean --config?")]
    [InlineData("Sinks:Directory:Path=x", "Did you mean --Sinks:Directory:Path=x?")]
    [InlineData("-Sinks:Directory:Path=x", "Did you mean --Sinks:Directory:Path=x?")]
    [InlineData("/Sinks:Directory:Path=x", "Did you mean --Sinks:Directory:Path=x?")]
    [InlineData("--Sinks__Directory__Path=x", "Did you mean --Sinks:Directory:Path=x?")]
    [InlineData("--Sinks.Directory.Path=a:b=c", "Did you mean --Sinks:Directory:Path=a:b=c?")]
    [InlineData("--Sinks:Directory:Path", "A setting needs a value: --Sinks:Directory:Path=value.")]
    public void Describe_Mistyped_Suggests(string token, string hint) => Describe(token).ShouldEndWith($"such as --Sinks:Directory:Path=data. {hint}");

    [Fact]
    public void Describe_AnOptionBeforeItsCommand_SaysWhereItBelongs() =>
        Describe("--demo").ShouldEndWith("such as --Sinks:Directory:Path=data. Write --demo after worker.");

    [Theory]
    [InlineData("xyz")]
    [InlineData("--a")]
    [InlineData("http://127.0.0.1:8080")]
    public void Describe_NothingIsNear_SuggestsNothing(string token) => Describe(token).ShouldEndWith("such as --Sinks:Directory:Path=data.");

    [Theory]
    [InlineData("Sources:ServiceBus:ConnectionString=Endpoint=sb://orders.example/;SharedAccessKeyName=root;SharedAccessKey=canary")]
    [InlineData("-Sinks:S3:SecretAccessKey=canary")]
    [InlineData("Sources:RabbitMq:Uri=amqp://user:canary@host/")]
    [InlineData("Sinks:AzureBlobs:Endpoint=https://account.example/?sv=1&sig=canary")]
    public void Describe_AMistypedSecret_DoesNotShowIt(string token) => Describe(token).ShouldNotContain("canary");

    private static string Describe(string token)
    {
        Command root = new("worker") { new Option<int>("--demo"), Config, new Command("validate"), new Command("redrive") };
        return UnknownArgument.Describe(token, root, Config, new WorkerDefinition(_ => { }).Sections);
    }

    [Theory]
    [InlineData("sqss", "--to sqss: there is none. Did you mean sqs? There are: http, sqs.")]
    [InlineData("zzzzzz", "--to zzzzzz: there is none. There are: http, sqs.")]
    [InlineData("sqs", null)]
    public void AllowOnly_Value_NamesTheNearest(string value, string? expected)
    {
        Option<string> to = new("--to");
        UnknownArgument.AllowOnly(to, ["http", "sqs"]);

        new RootCommand { to }.Parse(["--to", value]).Errors.Select(error => error.Message).ShouldBe(expected is null ? [] : [expected]);
    }
}
