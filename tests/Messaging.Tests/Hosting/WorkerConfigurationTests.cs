using Microsoft.Extensions.Configuration;
using Quayside.Messaging.CommandLine;

namespace Messaging.Tests.Hosting;

public sealed class WorkerConfigurationTests
{
    private const string Key = "Hosting:DrainTimeout";

    [Fact]
    public void IsGiven_BySettingsFileOnly_IsFalse()
    {
        IConfigurationRoot configuration = WorkerConfiguration.Build(configFile: null, []);

        configuration[Key].ShouldNotBeNull("The settings file beside the program has it.");
        WorkerConfiguration.IsConfigured(configuration, Key).ShouldBeFalse();
    }

    [Fact]
    public void IsGiven_ByCommandLine_IsTrue() =>
        WorkerConfiguration.IsConfigured(WorkerConfiguration.Build(configFile: null, [$"--{Key}=1s"]), Key).ShouldBeTrue();
}
