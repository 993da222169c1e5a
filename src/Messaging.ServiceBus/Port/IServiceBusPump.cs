namespace Messaging.ServiceBus.Port;

/// <summary>
/// Receives in PeekLock mode and hands each message to a handler, as the library's processor does. The lock is renewed while the
/// handler has not returned. May be started again after a stop. Every failure is a <see cref="ServiceBusFaultException"/>.
/// </summary>
public interface IServiceBusPump : IAsyncDisposable
{
    /// <summary>Looks at the entity without locking a message: fails when it does not exist or refuses the credentials.</summary>
    Task CheckAsync(CancellationToken cancellationToken);

    /// <summary>Begins to receive. A connection that fails is no failure of the call: it is reported to the handler, again and again.</summary>
    Task StartAsync(IPumpHandler handler, CancellationToken cancellationToken);

    /// <summary>
    /// Hands out no more messages, waits until every call of the handler has returned, then closes the receiving link: until that
    /// is closed, the broker may lock a message for each call that was waiting for one. So a call should return soon, whatever
    /// becomes of its message: it can be renewed and settled afterwards. Not to be called from a handler.
    /// </summary>
    Task StopAsync(CancellationToken cancellationToken);
}
