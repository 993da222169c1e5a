namespace Worker.Tests.ServiceBus;

/// <summary>A settlement that reached the bus.</summary>
/// <param name="Operation">Complete, Abandon or DeadLetter.</param>
/// <param name="MessageId">The message's id.</param>
/// <param name="Delivery">The delivery it was made on.</param>
/// <param name="Properties">Names of the properties a dead letter brings.</param>
internal sealed record BusCall(string Operation, string? MessageId, int Delivery, IReadOnlyCollection<string> Properties);
