namespace Messaging.ServiceBus;

/// <summary>What a dead letter says of itself.</summary>
/// <param name="Reason">The reason code.</param>
/// <param name="Description">What happened, for people.</param>
/// <param name="Details">The worker's record as JSON; null to leave it out.</param>
internal sealed record DeadLetterText(string Reason, string Description, string? Details);
