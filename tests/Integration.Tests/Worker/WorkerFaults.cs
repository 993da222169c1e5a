namespace Integration.Tests.Worker;

/// <summary>Worker processes that are killed, stopped in the middle or cut off from what they need; beside <see cref="WorkerProcesses"/>.</summary>
[CollectionDefinition(Name)]
public sealed class WorkerFaults
{
    public const string Name = "worker faults";
}
