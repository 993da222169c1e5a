using Quayside.Messaging.Configuration;
using Quayside.Messaging.Recoverability;

namespace Messaging.Tests.Recoverability;

public sealed class RecoverabilityOptionsTests
{
    [Fact]
    public void Validate_CapBelowBase_Fails()
    {
        List<ConfigurationError> errors = [];
        RecoverabilityOptions options = new() { BackoffBase = TimeSpan.FromSeconds(2), BackoffCap = TimeSpan.FromSeconds(1) };

        options.Validate(new SettingsCheck("Recoverability", property => ($"Recoverability:{property}", "1s"), [], errors, warnings: []));

        errors.ShouldHaveSingleItem().ToString().ShouldBe(
            "Recoverability:BackoffCap = \"1s\": must not be below BackoffBase. The first wait would exceed the maximum.");
    }

    [Fact]
    public void Validate_Defaults_AreValid()
    {
        List<ConfigurationError> errors = [];

        new RecoverabilityOptions().Validate(new SettingsCheck("Recoverability", _ => null, [], errors, warnings: []));

        errors.ShouldBeEmpty();
    }
}
