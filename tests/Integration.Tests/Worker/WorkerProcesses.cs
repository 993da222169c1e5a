namespace Integration.Tests.Worker;

/// <summary>
/// One after another: each of these tests runs worker processes that keep the machine's cores busy, and several at once would
/// only wait for each other.
/// </summary>
[CollectionDefinition(Name)]
public sealed class WorkerProcesses
{
    public const string Name = "worker processes";
}
