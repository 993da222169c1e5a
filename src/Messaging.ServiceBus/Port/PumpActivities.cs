namespace Messaging.ServiceBus.Port;

/// <summary>Reads the library's words for what failed (ServiceBusErrorSource).</summary>
internal static class PumpActivities
{
    /// <summary>An unknown word counts as receiving: that is what must not fail unseen.</summary>
    public static PumpActivity Parse(string errorSource) => errorSource switch
    {
        "RenewLock" => PumpActivity.RenewLock,
        "Complete" or "Abandon" => PumpActivity.Settle,
        "ProcessMessageCallback" => PumpActivity.Handle,
        _ => PumpActivity.Receive,
    };
}
