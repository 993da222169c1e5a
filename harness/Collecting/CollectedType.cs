namespace Harness.Collecting;

/// <param name="Id">The runtime's address of the type, good in the process that allocated.</param>
/// <param name="Bytes">Bytes of all its objects.</param>
/// <param name="Count">Objects.</param>
internal readonly record struct CollectedType(ulong Id, long Bytes, long Count);
