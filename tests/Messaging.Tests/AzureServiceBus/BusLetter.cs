namespace Messaging.Tests.AzureServiceBus;

/// <summary>A message in the dead-letter queue of a <see cref="FakeBus"/>.</summary>
internal sealed record BusLetter(BusEntry Entry, string Reason, string Description, IDictionary<string, object> Properties);
