namespace Messaging.ServiceBus.Port;

/// <summary>Parses the library's names of what failed (ServiceBusErrorSource).</summary>
public static class PumpActivities
{
    /// <summary>The activity of a name; an unknown name counts as receiving, whose failures must be seen.</summary>
    public static PumpActivity Parse(string errorSource) => errorSource switch
    {
        "RenewLock" => PumpActivity.RenewLock,
        "Complete" or "Abandon" => PumpActivity.Settle,
        "ProcessMessageCallback" => PumpActivity.Handle,
        _ => PumpActivity.Receive,
    };
}
