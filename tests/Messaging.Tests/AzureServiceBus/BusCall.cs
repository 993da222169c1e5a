namespace Messaging.Tests.AzureServiceBus;

/// <summary>A settlement that reached the bus.</summary>
/// <param name="Operation">Complete, Abandon or DeadLetter.</param>
/// <param name="MessageId">The message's id.</param>
/// <param name="Delivery">The delivery that it settles.</param>
/// <param name="Properties">Names of the dead letter's properties.</param>
internal sealed record BusCall(string Operation, string? MessageId, int Delivery, IReadOnlyCollection<string> Properties);
