using System.Reflection;
using System.Runtime.CompilerServices;

namespace Messaging.Tests.PublicApi;

/// <summary>Internals are seen by the packages, which are of one version, and by tests and measurements: by no program that a package could meet.</summary>
public sealed class FriendAssemblyTests
{
    private static readonly string[] Friends =
        ["Benchmarks", "Benchmarks.Tests", "Harness", "Integration.Tests", "Lab", "Messaging.Tests", "Pipeline.Tests", "Proof", "Worker"];

    public static TheoryData<string> Assemblies() => [.. SourceAssemblies.Names];

    [Theory]
    [MemberData(nameof(Assemblies))]
    public void InternalsVisibleTo_OfEachAssemblyInSrc_NamesOnlyPackagesAndTests(string assembly)
    {
        IEnumerable<string> seenBy =
            Assembly.Load(assembly).GetCustomAttributes<InternalsVisibleToAttribute>().Select(friend => friend.AssemblyName.Split(',')[0]);

        seenBy.Except([.. Friends, .. SourceAssemblies.Projects]).ShouldBeEmpty("docs/evidence/adr/internals.md");
    }

    [Fact]
    public void Assemblies_OfThisBuild_AreFound() => Assemblies().Count.ShouldBeGreaterThanOrEqualTo(11);
}
