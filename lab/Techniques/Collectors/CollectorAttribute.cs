using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Jobs;

namespace Lab.Techniques.Collectors;

/// <summary>
/// Which collector a suite's processes run with. Set in the environment, since a build setting would make BenchmarkDotNet build everything twice.
/// </summary>
[AttributeUsage(AttributeTargets.Class)]
public sealed class CollectorAttribute(bool server)
    : JobMutatorConfigBaseAttribute(Job.Default.WithEnvironmentVariable("DOTNET_gcServer", server ? "1" : "0"))
{
    public bool Server => server;
}
