namespace Pipeline.Generators;

/// <summary>What a part implements; a fork is a behaviour.</summary>
internal enum PartContract
{
    Step,
    Behavior,
    Terminator,
}
