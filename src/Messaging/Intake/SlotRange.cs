namespace Messaging.Intake;

/// <summary>How many messages of a source may be in flight.</summary>
/// <param name="Start">The number at the start.</param>
/// <param name="Max">The upper limit: the number of slots.</param>
/// <param name="Min">The number that throttling by the sink may lower it to.</param>
internal readonly record struct SlotRange(int Start, int Max, int Min)
{
    /// <summary>What throttling usually lowers the number to.</summary>
    public const int UsualMin = 4;
}
