using Harness.ServiceBus;
using Microsoft.Extensions.Configuration;

namespace Integration.Tests.Profiling.ServiceBus;

public sealed class ServiceBusKeysTests
{
    [Fact]
    public void Defaults_NothingGiven_AreTheVariableAndTheDeclaredQueue() =>
        Defaults([], "Endpoint=sb://h").ShouldBe(
            ["--Sources:ServiceBus:ConnectionString=Endpoint=sb://h", "--Sources:ServiceBus:Queue=harness", "--Sources:ServiceBus:MaxConcurrentCalls=100",
                "--Intake:Concurrency=100"]);

    [Fact]
    public void Defaults_NoVariable_LeaveTheConnectionToTheConfigurationsError() =>
        Defaults([], variable: null).ShouldBe(
            ["--Sources:ServiceBus:Queue=harness", "--Sources:ServiceBus:MaxConcurrentCalls=100", "--Intake:Concurrency=100"]);

    [Fact]
    public void Defaults_OwnConnectionAndTopic_AreLeftAlone() =>
        Defaults(["FullyQualifiedNamespace=h", "Topic=t"], "Endpoint=sb://h").ShouldBe(
            ["--Sources:ServiceBus:MaxConcurrentCalls=100", "--Intake:Concurrency=100"]);

    [Fact]
    public void Defaults_OwnCalls_AreLeftAlone() =>
        Defaults(["FullyQualifiedNamespace=h", "Queue=q", "MaxConcurrentCalls=8"], variable: null).ShouldBe(["--Intake:Concurrency=100"]);

    private static IEnumerable<string> Defaults(string[] given, string? variable)
    {
        IConfiguration configuration = new ConfigurationBuilder()
            .AddInMemoryCollection(
                given.Select(setting => setting.Split('=', 2)).Select(pair => KeyValuePair.Create($"Sources:ServiceBus:{pair[0]}", (string?)pair[1])))
            .Build();
        return ServiceBusKeys.Defaults(configuration, name => name == "SERVICEBUS_CONNECTION_STRING" ? variable : null, concurrency: 100);
    }
}
