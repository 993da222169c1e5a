namespace Messaging.Telemetry;

/// <summary>
/// Logs where a log that throws would do damage: on a timer's thread it ends the process, in a loop it ends the loop. What is logged this way
/// also stands on the page, in the health answer or in a metric.
/// </summary>
internal static class SafeLog
{
    public static void Try(Action log)
    {
        try
        {
            log();
        }
        catch (Exception)
        {
            // The provider's own fault.
        }
    }
}
