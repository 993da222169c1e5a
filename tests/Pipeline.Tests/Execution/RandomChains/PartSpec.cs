namespace Pipeline.Tests.Execution.RandomChains;

/// <summary>One part of a random chain.</summary>
/// <param name="Shape">Its kind.</param>
/// <param name="Before">What it does before the rest.</param>
/// <param name="After">What it does after the rest.</param>
/// <param name="Error">A step's OnError: what it does.</param>
/// <param name="Decides">Whether it decides the settlement on its way in.</param>
internal sealed record PartSpec(Shape Shape, Deed Before, Deed After, Deed Error, bool Decides)
{
    public override string ToString() => $"{Shape}[{Before}|{After}|{Error}{(Decides ? "|decides" : string.Empty)}]";
}
