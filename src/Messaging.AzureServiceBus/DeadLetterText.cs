namespace Messaging.AzureServiceBus;

/// <summary>The texts that a dead letter carries; without details the worker's record is left out.</summary>
internal sealed record DeadLetterText(string Reason, string Description, string? Details);
