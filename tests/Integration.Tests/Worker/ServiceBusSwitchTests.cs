using Integration.Tests.Profiling;

namespace Integration.Tests.Worker;

/// <summary>A build without the Service Bus client reports that, and how to build it in. Not compiled with the switch <c>AzureServiceBus</c>.</summary>
[Collection(WorkerProcesses.Name)]
public sealed class ServiceBusSwitchTests
{
    private const int Wrong = 78;
    private const string Switch = "-p:AzureServiceBus=true";
    private const string Connection = "--Sources:ServiceBus:ConnectionString=Endpoint=sb://localhost;SharedAccessKeyName=n;SharedAccessKey=canary4711";

    [Theory]
    [InlineData("validate")]
    [InlineData("explain")]
    [InlineData("")]
    public async Task Source_NamedInARoute_IsAConfigurationError(string command)
    {
        string[] arguments = [.. command.Split(' ', StringSplitOptions.RemoveEmptyEntries), "--Routes:archive:Source=ServiceBus", "--Sources:ServiceBus:Queue=orders", Connection];

        WorkerCommand result = (await WorkerCommand.RunAsync(arguments)).ShouldHaveNoStackTrace();

        result.ExitCode.ShouldBe(Wrong, result.Text);
        string problem = result.Error.Split('\n').Where(line => line.StartsWith("  - ", StringComparison.Ordinal)).ShouldHaveSingleItem();
        problem.ShouldStartWith("  - Routes:archive:Source = \"ServiceBus\"");
        problem.ShouldContain(Switch);
        result.Text.ShouldNotContain("canary4711");
    }

    [Fact]
    public async Task Publish_ToServiceBus_IsAConfigurationError()
    {
        WorkerCommand result = (await WorkerCommand.RunAsync("publish", "--to", "servicebus", "--Sources:ServiceBus:Queue=orders", Connection)).ShouldHaveNoStackTrace();

        result.ExitCode.ShouldBe(Wrong, result.Text);
        result.Error.ShouldContain(Switch);
    }

    [Fact]
    public async Task Section_WithoutARouteThatUsesIt_IsValid()
    {
        WorkerCommand result = await WorkerCommand.RunAsync("validate", "--Sources:ServiceBus:Queue=orders");

        result.ExitCode.ShouldBe(0, result.Text);
    }

    [Theory]
    [InlineData("--bare")]
    [InlineData("--batch=100")]
    public async Task Harness_OverServiceBus_IsAConfigurationError(string option)
    {
        await using HarnessProcess harness = HarnessProcess.Start([option, "--no-wait", Connection], source: "servicebus");

        int exitCode = await harness.WaitForExitAsync();

        exitCode.ShouldBe(Wrong, harness.Output.Describe());
        harness.Output.Snapshot().ShouldContain(line => line.IsError && line.Text.Contains(Switch, StringComparison.Ordinal));
    }
}
