namespace Messaging.AzureServiceBus.Port;

/// <summary>
/// Receives in PeekLock mode and passes each message to a handler. The lock is renewed while the
/// handler's call runs. The pump can be started again after a stop, also while messages of an earlier run are still renewed and settled.
/// Every failure is a <see cref="ServiceBusFaultException"/>.
/// </summary>
public interface IServiceBusPump : IAsyncDisposable
{
    /// <summary>Checks that messages can be received, without locking one; fails when the entity does not exist or requires sessions, or the credentials are refused.</summary>
    Task CheckAsync(CancellationToken cancellationToken);

    /// <summary>Starts receiving. A failed connection does not fail the call: the handler gets a report for each failed attempt.</summary>
    Task StartAsync(IPumpHandler handler, CancellationToken cancellationToken);

    /// <summary>
    /// Begins no further receive, waits until every call of the handler has returned, then closes the receiving link. Messages that arrive
    /// until then are still passed to the handler, at most one per call. Calls should return soon: their messages can be renewed and
    /// settled afterwards. Must not be called from a handler.
    /// </summary>
    Task StopAsync(CancellationToken cancellationToken);
}
