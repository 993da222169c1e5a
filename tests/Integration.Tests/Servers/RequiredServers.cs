using System.Diagnostics.CodeAnalysis;

namespace Integration.Tests.Servers;

/// <summary>
/// Handles a missing server: the test is skipped with the reason, so that <c>dotnet test</c> passes on a machine with
/// only the SDK. With <c>REQUIRE_SERVERS=1</c> (<c>.ci/run</c>) the test fails.
/// </summary>
internal static class RequiredServers
{
    public const string Variable = "REQUIRE_SERVERS";

    [DoesNotReturn]
    public static void Missing(string reason)
    {
        if (Environment.GetEnvironmentVariable(Variable) == "1")
        {
            Assert.Fail($"{reason} ({Variable}=1 makes this a failure.)");
        }

        Assert.Skip(reason);
    }
}
