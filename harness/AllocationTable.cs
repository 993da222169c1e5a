using Harness.Collecting;

namespace Harness;

/// <summary>The allocations of the measured span by type, largest first.</summary>
/// <param name="Rows">All types.</param>
/// <param name="EventsLost">Objects that are missing because the buffer was full.</param>
internal sealed record AllocationTable(IReadOnlyList<AllocationRow> Rows, long EventsLost)
{
    private const int Printed = 25;

    /// <summary>Bytes of all rows.</summary>
    public long Bytes { get; } = Rows.Sum(row => row.Bytes);

    /// <summary>Resolves the types, which must be types of this process.</summary>
    public static AllocationTable Create(CollectedAllocations collected)
    {
        // Types in two assemblies may have the same name.
        IEnumerable<AllocationRow> rows = collected.Types
            .GroupBy(type => NameOf(type.Id), StringComparer.Ordinal)
            .Select(group => new AllocationRow(group.Key, group.Sum(type => type.Bytes), group.Sum(type => type.Count)))
            .OrderByDescending(row => row.Bytes)
            .ThenBy(row => row.Type, StringComparer.Ordinal);
        return new AllocationTable([.. rows], collected.EventsLost);
    }

    /// <param name="writer">Receives the table.</param>
    /// <param name="messages">Messages stored.</param>
    /// <param name="allocated">Bytes that the process allocated in the same span, by its own count.</param>
    public void Write(TextWriter writer, long messages, long allocated)
    {
        double each = Math.Max(1, messages);
        writer.WriteLine($"""

            Every object by type: {Bytes:N0} of the {allocated:N0} bytes allocated ({Share(allocated):P1}), {Rows.Count} types.
            Exact to one object per type and thread: the runtime does not report a type's first object on each further thread.
            The harness adds it, with the type's smallest size, when the thread makes a second one.
            Counting takes time: ignore the seconds and messages/s of this run.

            """);
        if (EventsLost > 0)
        {
            writer.WriteLine($"{EventsLost:N0} events were lost: at least that many objects are missing. Use a smaller --count.\n");
        }

        writer.WriteLine($"{"bytes",15} {"/message",10} {"objects",12} {"/message",10}  type");
        foreach (AllocationRow row in Rows.Take(Printed))
        {
            writer.WriteLine($"{row.Bytes,15:N0} {row.Bytes / each,10:N1} {row.Count,12:N0} {row.Count / each,10:N2}  {row.Type}");
        }

        if (Rows.Count > Printed)
        {
            long bytes = Rows.Skip(Printed).Sum(row => row.Bytes);
            long count = Rows.Skip(Printed).Sum(row => row.Count);
            writer.WriteLine($"{bytes,15:N0} {bytes / each,10:N1} {count,12:N0} {count / each,10:N2}  {Rows.Count - Printed} more types");
        }
    }

    /// <summary>The share of the allocated bytes that the rows account for.</summary>
    public double Share(long allocated) => allocated > 0 ? (double)Bytes / allocated : 1;

    // The address stays valid: neither the worker nor its dependencies load assemblies that can be unloaded.
    private static string NameOf(ulong id) =>
        Type.GetTypeFromHandle(RuntimeTypeHandle.FromIntPtr((nint)id)) is { } type ? TypeNames.Format(type) : $"0x{id:x}";
}
