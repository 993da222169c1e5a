namespace Harness.Collecting;

/// <param name="Id">The runtime's address of the type, valid in the measured process.</param>
/// <param name="Bytes">Bytes of all its objects.</param>
/// <param name="Count">Number of objects.</param>
internal readonly record struct CollectedType(ulong Id, long Bytes, long Count);
