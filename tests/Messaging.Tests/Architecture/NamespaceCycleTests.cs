using Messaging.Tests.PublicApi;

namespace Messaging.Tests.Architecture;

/// <summary>Within an assembly the namespaces use one another in one direction.</summary>
public sealed class NamespaceCycleTests
{
    [Fact]
    public void Namespaces_OfEachAssemblyInSrc_HaveNoCycle() =>
        SourceAssemblies.Names.SelectMany(name => NamespaceGraph.Read(SourceAssemblies.PathOf(name)).Cycles())
            .ShouldBeEmpty("Closes a cycle: turn the use around, or move the type.");
}
