namespace Pipeline.Building;

internal enum PartKind
{
    Step,
    Behavior,
    Connector,
    Fork,
    Terminator,
}
