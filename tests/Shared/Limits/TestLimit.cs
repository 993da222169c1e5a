namespace Shared.Limits;

/// <summary>
/// How long a test may run: so long that no busy machine needs it, and so short that a test that waits for what a defect withholds fails soon.
/// </summary>
internal static class TestLimit
{
    /// <summary>
    /// Five minutes; in Integration.Tests, whose processes and servers have limits of their own, just below the time after which CI ends the test host.
    /// </summary>
    public static int Milliseconds { get; } = typeof(TestLimit).Assembly.GetName().Name == "Integration.Tests" ? 570_000 : 300_000;
}
