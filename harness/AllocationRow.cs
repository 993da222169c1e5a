namespace Harness;

/// <param name="Type">The type's name as C# writes it.</param>
/// <param name="Bytes">Bytes of all its objects.</param>
/// <param name="Count">Number of objects.</param>
internal sealed record AllocationRow(string Type, long Bytes, long Count);
