using Microsoft.Extensions.Configuration;
using Shared.Hosting;

namespace Messaging.Tests.Aws.Sqs;

public sealed class SqsSourceFeatureTests
{
    [Theory]
    [InlineData("orders")]
    [InlineData("orders.fifo")]
    public void Plan_Defaults_AreValid(string queue) => ErrorsOf($"Sources:Sqs:Queue={queue}").ShouldBeEmpty();

    [Theory]
    [InlineData("Sources:Sqs:MaxHoldTime=1m", "Sources:Sqs:MaxHoldTime = \"1m\": must be at least Intake:MessageTimeout (90s).")]
    [InlineData("Intake:MessageTimeout=16m", "Sources:Sqs:MaxHoldTime = \"15m\": must be at least Intake:MessageTimeout (16m).")]
    public void Plan_MaxHoldTimeBelowMessageTimeout_IsRefused(string setting, string expected) =>
        ErrorsOf("Sources:Sqs:Queue=orders", setting).ShouldHaveSingleItem().ShouldStartWith(expected);

    private static string[] ErrorsOf(params string[] settings)
    {
        string[] all = ["Routes:archive:Source=Sqs", "Routes:archive:Sink=S3", "Sinks:S3:Bucket=bucket", .. settings];
        return [
            .. WorkerHost.Plan(new ConfigurationBuilder().AddCommandLine([.. all.Select(setting => $"--{setting}")]).Build()).Errors.Select(
                error => error.ToString())];
    }
}
