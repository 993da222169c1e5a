using Quayside.Messaging.Configuration;

namespace Worker.Tests.Configuration;

public sealed class ConfigurationErrorTests
{
    [Fact]
    public void ToString_ControlCharacters_AreEscaped() =>
        new ConfigurationError("Aws:Re\tgion", "eu\u001b[2J", "must be a region.").ToString().ShouldBe("Aws:Re\\u0009gion = \"eu\\u001b[2J\": must be a region.");
}
