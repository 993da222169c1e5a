namespace Messaging.ServiceBus.Port;

/// <summary>How a pump works.</summary>
/// <param name="MaxConcurrentCalls">Messages handed out at once; receiving one more waits until a call has returned.</param>
/// <param name="PrefetchCount">Messages the library may hold locked beyond those handed out.</param>
/// <param name="MaxLockRenewal">How long the lock of a message is renewed while its call has not returned.</param>
/// <param name="AutoComplete">True when a call's normal return completes its message.</param>
public sealed record PumpSettings(int MaxConcurrentCalls, int PrefetchCount, TimeSpan MaxLockRenewal, bool AutoComplete = false);
