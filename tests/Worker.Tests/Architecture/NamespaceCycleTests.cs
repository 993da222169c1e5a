using System.Runtime.CompilerServices;
using Worker.Tests.PublicApi;

namespace Worker.Tests.Architecture;

/// <summary>
/// Within an assembly the namespaces use one another in one direction. The uses that still lie on a cycle are in <c>allowed-cycles.txt</c>, which
/// may only become shorter.
/// </summary>
public sealed class NamespaceCycleTests
{
    [Fact]
    public void Namespaces_OfEachAssemblyInSrc_HaveOnlyTheAllowedCycles()
    {
        string[] actual = [.. SourceAssemblies.Names.SelectMany(name => NamespaceGraph.Read(SourceAssemblies.PathOf(name)).Cycles())];
        string file = Path.Combine(Folder(), "allowed-cycles.txt");
        string[] allowed = File.ReadAllLines(file);
        if (Environment.GetEnvironmentVariable("APPROVE") == "1")
        {
            File.WriteAllLines(file, allowed = [.. allowed.Intersect(actual, StringComparer.Ordinal)]);
        }

        actual.Except(allowed, StringComparer.Ordinal).ShouldBeEmpty("Closes a cycle: turn the use around, or move the type.");
        allowed.Except(actual, StringComparer.Ordinal).ShouldBeEmpty("No longer on a cycle: run once with APPROVE=1, which removes it from the list.");
    }

    private static string Folder([CallerFilePath] string file = "") => Path.GetDirectoryName(file)!;
}
