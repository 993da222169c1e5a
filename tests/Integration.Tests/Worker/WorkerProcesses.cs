namespace Integration.Tests.Worker;

/// <summary>
/// These tests run worker processes, one test after another. <see cref="WorkerFaults"/> is the other half, so that the two run
/// in parallel: the tests mostly wait.
/// </summary>
[CollectionDefinition(Name)]
public sealed class WorkerProcesses
{
    public const string Name = "worker processes";
}
