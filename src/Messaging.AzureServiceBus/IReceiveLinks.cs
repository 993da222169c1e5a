using System.Diagnostics.CodeAnalysis;
using Azure.Messaging.ServiceBus;

namespace Quayside.Messaging.AzureServiceBus;

/// <summary>The links over which the calls of one run receive and settle. A call has one message at a time.</summary>
internal interface IReceiveLinks
{
    /// <summary>True once <see cref="Stop"/> was called.</summary>
    bool IsStopping { get; }

    /// <summary>True where the links renew what keeps their messages locked; otherwise the run renews each message's lock.</summary>
    bool RenewsLocks { get; }

    /// <summary>The receiver that settles the message of a call now.</summary>
    ServiceBusReceiver SettlingFor(int call);

    /// <summary>Begins to receive one message, for which null means that there was none for a while; false after the stop.</summary>
    bool TryReceive(int call, [NotNullWhen(true)] out Task<ServiceBusReceivedMessage?>? receiving);

    /// <summary>The message of a call is settled, or given up. Never throws.</summary>
    Task SettledAsync(int call);

    /// <summary>Called every second, until every message of the run is settled: renews what is due, if <see cref="RenewsLocks"/>.</summary>
    void RenewDue();

    /// <summary>From here on no call receives, and none is just beginning to: that would grant credit during the close.</summary>
    void Stop();

    /// <summary>
    /// Closes the links and waits for the receives over them. Call it after the stop. What later settlements need stays open.
    /// </summary>
    /// <param name="settlements">Completes when no settlement of a call uses the links any more; a broker that does not answer one does not keep the links
    /// open.</param>
    Task CloseAsync(Task settlements);
}
