using System.Reflection;
using System.Runtime.CompilerServices;
using PublicApiGenerator;

namespace Messaging.Tests.PublicApi;

/// <summary>The public API of every package matches the approved text, so that a reviewer sees every change as a diff.</summary>
public sealed class PublicApiTests
{
    // Attributes of assemblies change with every release; those of tests hold the path of the source.
    private static readonly ApiGeneratorOptions Options =
        new() { IncludeAssemblyAttributes = false, ExcludeAttributes = ["Xunit.FactAttribute", "Xunit.TheoryAttribute"] };

    public static TheoryData<string> Assemblies => [.. SourceAssemblies.Names.Except(["Worker"])];

    [Theory]
    [MemberData(nameof(Assemblies))]
    public void PublicApi_OfEachPackage_IsTheApprovedText(string assembly)
    {
        string actual = Assembly.Load(assembly).GeneratePublicApi(Options) + "\n";

        string path = Path.Combine(Folder(), "Approved", $"{assembly}.txt");
        if (Environment.GetEnvironmentVariable("APPROVE") == "1")
        {
            File.WriteAllText(path, actual);
        }

        actual.ShouldBe(File.Exists(path) ? File.ReadAllText(path) : string.Empty, "Where the change is meant, run once with APPROVE=1 and read the diff.");
    }

    private static string Folder([CallerFilePath] string file = "") => Path.GetDirectoryName(file)!;
}
