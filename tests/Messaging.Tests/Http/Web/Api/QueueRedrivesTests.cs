using Quayside.Messaging.CommandLine;
using Quayside.Messaging.Console.Api;
using Quayside.Messaging.DeadLetters.Redrive;
using Shared.Hosting;

namespace Messaging.Tests.Http.Web.Api;

public sealed class QueueRedrivesTests
{
    private const string Aws = "--Aws:Region=eu-west-1 --Aws:AccessKeyId=a --Aws:SecretAccessKey=b";

    [Theory]
    [InlineData("--Routes:r:Source=Sqs --Sources:Sqs:Queue=orders", "Sqs", "redrive --from sqs --Sources:Sqs:Queue=orders --dry-run")]
    [InlineData(
        "--Routes:r:Source=Http,Sqs --Routes:r:Sources:Sqs:Queue=own --Sources:Sqs:Queue=orders", "Sqs",
        "redrive --from sqs --route r --Routes:r:Sources:Sqs:Queue=own --dry-run")]
    [InlineData("--Routes:r:Source=RabbitMq --Sources:RabbitMq:Queue=orders", "RabbitMq", "redrive --from rabbitmq --Sources:RabbitMq:Queue=orders --dry-run")]
    [InlineData("--Routes:r:Source=Sqs --Sources:Sqs:Queue=orders", "RabbitMq", "redrive --from rabbitmq --route r --dry-run")]
    [InlineData("--Routes:r:Source=Http", "Http", null)]
    [InlineData("--Routes:r:Source=Http", "Own", null)]
    public void Command_HasTheStoreAndTheQueueOfTheSource(string settings, string source, string? command)
    {
        QueueRedrives redrives = new(
            new RedriveCatalog(WorkerHost.Features()),
            WorkerHost.Plan(
                WorkerConfiguration.Build(configFile: null, [.. settings.Split(' '), .. Aws.Split(' '), "--Routes:r:Sink=Memory"], readSettingsFile: false)));

        string? found = redrives.CommandOf("r", source);

        // It begins with the program, which is here the one of the tests.
        (found?[found.IndexOf(" redrive ", StringComparison.Ordinal)..]).ShouldBe(command is null ? null : $" {command}");
    }
}
