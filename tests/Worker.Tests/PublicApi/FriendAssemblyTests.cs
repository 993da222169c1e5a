using System.Reflection;
using System.Runtime.CompilerServices;

namespace Worker.Tests.PublicApi;

/// <summary>Only tests, benchmarks and the proof see internals: shipped packages use the public API, like third-party packages.</summary>
public sealed class FriendAssemblyTests
{
    private static readonly string[] Friends = ["Benchmarks", "Benchmarks.Tests", "Integration.Tests", "Pipeline.Tests", "Proof", "Worker.Tests"];

    /// <summary>The assemblies of src that this build references.</summary>
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

        seenBy.Except(Friends).ShouldBeEmpty($"Shipped code uses only the public API of {assembly} (docs/explanation/adr/rooms.md).");
    }

    [Fact]
    public void Assemblies_OfThisBuild_AreFound() => Assemblies().Count.ShouldBeGreaterThanOrEqualTo(8);

    private static string Folder([CallerFilePath] string file = "") => Path.GetDirectoryName(file)!;
}
