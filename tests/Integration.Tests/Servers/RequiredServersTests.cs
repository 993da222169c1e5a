using Xunit.Sdk;

namespace Integration.Tests.Servers;

public sealed class RequiredServersTests
{
    [Fact]
    public void Missing_ServersAreOptional_SkipsWithTheReason() =>
        Should.Throw<SkipException>(() => RequiredServers.Missing("no such thing here", isRequired: false)).Message.ShouldContain("no such thing here");

    [Fact]
    public void Missing_ServersAreRequired_FailsWithTheReason() =>
        Should.Throw<FailException>(() => RequiredServers.Missing("no such thing here", isRequired: true)).Message.ShouldContain("no such thing here");
}
