namespace Messaging.Testing;

/// <summary>A message found among the dead letters.</summary>
/// <param name="Id">The source's id of the message.</param>
/// <param name="Reason">The reason code, such as <c>malformed-json</c>.</param>
/// <param name="Description">What happened, for people.</param>
/// <param name="Body">The body, unchanged.</param>
public sealed record DeadLetteredMessage(string Id, string Reason, string Description, byte[] Body);
