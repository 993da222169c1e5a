using System.Diagnostics.CodeAnalysis;

namespace Integration.Tests.Servers;

/// <summary>
/// What a test does when its server is not there: it skips with the reason, so that <c>dotnet test</c> passes on a machine with
/// the SDK alone; where <c>REQUIRE_SERVERS=1</c> says that servers were promised (<c>.ci/run</c>), it fails.
/// </summary>
internal static class RequiredServers
{
    public const string Variable = "REQUIRE_SERVERS";

    [DoesNotReturn]
    public static void Missing(string reason) => Missing(reason, Environment.GetEnvironmentVariable(Variable) == "1");

    [DoesNotReturn]
    public static void Missing(string reason, bool isRequired)
    {
        if (isRequired)
        {
            Assert.Fail($"{reason} ({Variable}=1 makes this a failure.)");
        }

        Assert.Skip(reason);
    }
}
