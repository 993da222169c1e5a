namespace Worker.Sources.ServiceBus.Port;

/// <summary>
/// Receives in PeekLock mode and hands each message to a handler, as the library's processor does. The lock is renewed while the
/// handler has not returned. May be started again after a stop. Every failure is a <see cref="ServiceBusFaultException"/>.
/// </summary>
internal interface IServiceBusPump : IAsyncDisposable
{
    /// <summary>Looks at the entity without locking a message: fails when it does not exist or refuses the credentials.</summary>
    Task CheckAsync(CancellationToken cancellationToken);

    /// <summary>Begins to receive. A connection that fails is no failure of the call: it is reported to the handler, again and again.</summary>
    Task StartAsync(IPumpHandler handler, CancellationToken cancellationToken);

    /// <summary>Ends receiving at once and returns when every call of the handler has; locks are renewed until then. Not to be called from a handler.</summary>
    Task StopAsync(CancellationToken cancellationToken);
}
