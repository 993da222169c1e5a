using System.Reflection;
using System.Runtime.CompilerServices;

namespace Messaging.Tests.PublicApi;

/// <summary>Only tests, benchmarks, the proof and the console see internals: other packages use the public API, like third-party packages.</summary>
public sealed class FriendAssemblyTests
{
    private static readonly string[] Friends =
        ["Benchmarks", "Benchmarks.Tests", "Integration.Tests", "Pipeline.Tests", "Proof", "Messaging.Tests", "Quayside.Messaging.Console"];

    public static TheoryData<string> Assemblies() => [.. SourceAssemblies.Names];

    [Theory]
    [MemberData(nameof(Assemblies))]
    public void InternalsVisibleTo_OfEachAssemblyInSrc_NamesOnlyTestsAndBenchmarks(string assembly)
    {
        IEnumerable<string> seenBy =
            Assembly.Load(assembly).GetCustomAttributes<InternalsVisibleToAttribute>().Select(friend => friend.AssemblyName.Split(',')[0]);

        seenBy.Except(Friends).ShouldBeEmpty($"Shipped code uses only the public API of {assembly} (docs/evidence/adr/rooms.md).");
    }

    [Fact]
    public void Assemblies_OfThisBuild_AreFound() => Assemblies().Count.ShouldBeGreaterThanOrEqualTo(11);
}
