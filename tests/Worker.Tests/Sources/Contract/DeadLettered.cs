namespace Worker.Tests.Sources.Contract;

/// <summary>A message found in the dead letters.</summary>
internal sealed record DeadLettered(string Id, string Reason, string Description, byte[] Body);
