namespace Integration.Tests.Worker;

/// <summary>
/// One after another: each of these tests runs worker processes. <see cref="WorkerFaults"/> are the other half, so that the two run
/// side by side: most of their time is waiting.
/// </summary>
[CollectionDefinition(Name)]
public sealed class WorkerProcesses
{
    public const string Name = "worker processes";
}
