namespace Integration.Tests.Worker;

/// <summary>Tests of worker processes that are killed, stopped or cut off from a resource; runs in parallel to <see cref="WorkerProcesses"/>.</summary>
[CollectionDefinition(Name)]
public sealed class WorkerFaults
{
    public const string Name = "worker faults";
}
