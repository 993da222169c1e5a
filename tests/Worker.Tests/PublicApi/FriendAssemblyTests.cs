using System.Reflection;
using System.Runtime.CompilerServices;

namespace Worker.Tests.PublicApi;

/// <summary>Only tests, benchmarks and the proof see internals: what ships is written against the public API, as a stranger's package would be.</summary>
public sealed class FriendAssemblyTests
{
    private static readonly string[] Friends = ["Benchmarks", "Benchmarks.Tests", "Integration.Tests", "Pipeline.Tests", "Proof", "Worker.Tests"];

    /// <summary>The assemblies of src that this build has; a project that a switch adds is checked with the switch.</summary>
    public static TheoryData<string> Assemblies() => [.. Directory
        .EnumerateFiles(Path.Combine(Folder(), "../../../src"), "*.csproj", SearchOption.AllDirectories)
        .Select(project => Path.GetFileNameWithoutExtension(project))
        .Where(name => File.Exists(Path.Combine(AppContext.BaseDirectory, $"{name}.dll")))
        .Order(StringComparer.Ordinal)];

    [Theory]
    [MemberData(nameof(Assemblies))]
    public void InternalsVisibleTo_OfEachAssemblyInSrc_NamesOnlyTestsAndBenchmarks(string assembly)
    {
        IEnumerable<string> seenBy = Assembly.Load(assembly).GetCustomAttributes<InternalsVisibleToAttribute>().Select(friend => friend.AssemblyName.Split(',')[0]);

        seenBy.Except(Friends).ShouldBeEmpty($"What others need of {assembly} is public, or theirs (docs/explanation/adr/rooms.md).");
    }

    [Fact]
    public void Assemblies_OfThisBuild_AreFound() => Assemblies().Count.ShouldBeGreaterThanOrEqualTo(8);

    private static string Folder([CallerFilePath] string file = "") => Path.GetDirectoryName(file)!;
}
