namespace Messaging.Http.Source;

/// <summary>The last delivery of a message that was answered 503.</summary>
/// <param name="Delivery">Its number, from 1.</param>
/// <param name="RetryAt">When the caller may send it again.</param>
internal readonly record struct Redelivery(int Delivery, DateTimeOffset RetryAt);
