namespace Pipeline.Generators;

/// <summary>The contract that a part implements; a fork is a behaviour.</summary>
internal enum PartContract
{
    Step,
    Behavior,
    Terminator,
}
