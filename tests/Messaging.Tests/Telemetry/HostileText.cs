namespace Messaging.Tests.Telemetry;

/// <summary>A text of others that would forge lines of a log, or reorder them in a terminal.</summary>
internal static class HostileText
{
    public static string Value { get; } = "id\r\n2026-01-01 crit: forged\u001b[2J\u2028\u202e\0" + new string('x', 5_000);

    /// <summary>Asserts that a log line holds it, in printable form and shortened.</summary>
    public static void ShouldBeSafe(string line)
    {
        line.ShouldContain(@"id\u000d\u000a2026-01-01 crit: forged\u001b[2J\u2028\u202e\u0000xxx");
        line.Any(c => char.IsControl(c) || c is '\u2028' or '\u202e').ShouldBeFalse();
        line.Length.ShouldBeLessThan(1_500);
    }
}
