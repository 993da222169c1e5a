using System.IO.Compression;
using System.Reflection.PortableExecutable;
using System.Text;
using System.Text.RegularExpressions;

namespace Integration.Tests.Packages;

/// <summary>The packages contain what an outside user needs, and nothing else.</summary>
[Collection(PackageCollection.Name)]
public sealed partial class PackageTests(PackedPackages packages)
{
    private const string Prefix = "Quayside.";
    private const string Template = "Quayside.Templates";

    private static readonly string[] Analyzers = ["analyzers/dotnet/cs/Quayside.Pipeline.Generators.dll"];

    /// <summary>Each package and its dependencies. A new dependency needs a reason: every user of the package restores it.</summary>
    private static readonly Dictionary<string, string[]> Expected = new(StringComparer.Ordinal)
    {
        ["Quayside.Messaging"] = ["Microsoft.Extensions.Hosting", "Quayside.Pipeline"],
        ["Quayside.Messaging.Archive"] = ["Quayside.Messaging"],
        ["Quayside.Messaging.Aws"] = ["AWSSDK.S3", "AWSSDK.SSO", "AWSSDK.SSOOIDC", "AWSSDK.SecurityToken", "Quayside.Messaging"],
        ["Quayside.Messaging.CloudFront"] = ["Quayside.Messaging.Aws"],
        ["Quayside.Messaging.CommandLine"] = [
            "Microsoft.Extensions.Hosting.WindowsServices", "OpenTelemetry", "OpenTelemetry.Exporter.OpenTelemetryProtocol", "Quayside.Messaging",
            "System.CommandLine"],
        ["Quayside.Messaging.Console"] = ["Quayside.Messaging.CommandLine", "Quayside.Messaging.Http"],
        ["Quayside.Messaging.Elasticsearch"] = ["Quayside.Messaging"],
        ["Quayside.Messaging.Envelopes"] = ["Quayside.Messaging"],
        ["Quayside.Messaging.Http"] = ["Quayside.Messaging"],
        ["Quayside.Messaging.AzureBlobs"] = ["Azure.Identity", "Azure.Storage.Blobs", "Quayside.Messaging"],
        ["Quayside.Messaging.AzureServiceBus"] = ["Azure.Identity", "Azure.Messaging.ServiceBus", "Microsoft.Azure.Amqp", "Quayside.Messaging"],
        ["Quayside.Messaging.RabbitMq"] = ["Quayside.Messaging", "RabbitMQ.Client"],
        ["Quayside.Messaging.Sockets"] = ["Quayside.Messaging"],
        ["Quayside.Messaging.Testing"] = ["Quayside.Messaging"],
        ["Quayside.Messaging.Testing.Xunit"] = ["Quayside.Messaging.Testing", "xunit.v3.extensibility.core"],
        ["Quayside.Pipeline"] = [],
    };

    public static TheoryData<string> Ids => [.. Expected.Keys];

    public static TheoryData<string> AllIds => [.. Expected.Keys, Template];

    [Fact]
    public void Pack_OfTheSolution_GivesThePackagesAndNoOther() => packages.Ids.ShouldBe(Expected.Keys.Append(Template).Order(StringComparer.Ordinal));

    [Fact]
    public void Template_Files_AreThoseOfTheRepositoryAndNameThePackagesOfItsVersion()
    {
        using ZipArchive package = ZipFile.OpenRead(packages.PathOf(Template));
        string folder = RepositoryFolder.Combine("templates", "worker");

        string[] expected =
        [
            .. Directory.EnumerateFiles(folder, "*", SearchOption.AllDirectories)
                .Select(file => $"content/worker/{Path.GetRelativePath(folder, file)}")
                .Where(name => !name.Contains("/bin/", StringComparison.Ordinal) && !name.Contains("/obj/", StringComparison.Ordinal)),
        ];
        Content(package).ShouldBe(expected.Append("README.md"), ignoreOrder: true);
        File.ReadAllText(Path.Combine(folder, "Directory.Build.props")).ShouldContain($"<QuaysideVersion>{packages.Version}</QuaysideVersion>");
        NuspecFile.Read(packages.PathOf(Template)).Dependencies.ShouldBeEmpty();
    }

    [Theory]
    [MemberData(nameof(Ids))]
    public void Package_Metadata_IsComplete(string id)
    {
        NuspecFile nuspec = NuspecFile.Read(packages.PathOf(id));

        nuspec.License.ShouldBe("MIT");
        nuspec.Commit.ShouldMatch("^[0-9a-f]{40}$");
        nuspec.Description.ShouldEndWith(".");
        nuspec.Dependencies.Select(dependency => dependency.Id).Order(StringComparer.Ordinal).ShouldBe(Expected[id]);
    }

    /// <summary>A restore reports a mix of versions (NU1608), before the program meets a missing member.</summary>
    [Fact]
    public void Packages_Dependencies_OnOneAnotherAreOfExactlyTheirVersion()
    {
        (string Id, string Version)[] dependencies =
            [.. Expected.Keys
                .SelectMany(id => NuspecFile.Read(packages.PathOf(id)).Dependencies)
                .Where(dependency => dependency.Id.StartsWith(Prefix, StringComparison.Ordinal))];

        dependencies.ShouldNotBeEmpty();
        dependencies.Where(dependency => dependency.Version != $"[{packages.Version}]").ShouldBeEmpty();
    }

    [Theory]
    [MemberData(nameof(Ids))]
    public void Package_Files_AreTheAssemblyItsDocumentationAndTheReadme(string id)
    {
        using ZipArchive package = ZipFile.OpenRead(packages.PathOf(id));
        using ZipArchive symbols = ZipFile.OpenRead(packages.PathOf(id, "snupkg"));

        string[] expected = [$"lib/net10.0/{id}.dll", $"lib/net10.0/{id}.xml", "README.md", .. id == "Quayside.Pipeline" ? Analyzers : []];
        Content(package).ShouldBe(expected.Order(StringComparer.Ordinal));
        Content(symbols).ShouldBe([$"lib/net10.0/{id}.pdb"]);
        IsDeterministic(package.GetEntry($"lib/net10.0/{id}.dll")!).ShouldBeTrue();
    }

    [Theory]
    [MemberData(nameof(AllIds))]
    public void Package_Readme_NamesThePackageAndIsShort(string id)
    {
        string[] lines = Readme(id).TrimEnd().Split('\n');

        lines[0].ShouldBe($"# {id}");
        lines.Length.ShouldBeInRange(10, 30);
        lines[^1].ShouldBe("Licence: MIT.");
        DocumentName.Matches(string.Join('\n', lines)).Select(match => match.Value).Where(document => !File.Exists(RepositoryFolder.Combine(document)))
            .ShouldBeEmpty($"{id}'s README names documents that do not exist.");
    }

    [GeneratedRegex("docs/[a-z0-9/-]+\\.md")]
    private static partial Regex DocumentName { get; }

    private string Readme(string id)
    {
        using ZipArchive package = ZipFile.OpenRead(packages.PathOf(id));
        using StreamReader reader = new(package.GetEntry("README.md")!.Open(), Encoding.UTF8);
        return reader.ReadToEnd();
    }

    private static IEnumerable<string> Content(ZipArchive package) => package.Entries
        .Select(entry => entry.FullName)
        .Where(name => !name.EndsWith(".nuspec", StringComparison.Ordinal)
            && name != "[Content_Types].xml"
            && !name.StartsWith("_rels/", StringComparison.Ordinal)
            && !name.StartsWith("package/", StringComparison.Ordinal))
        .Order(StringComparer.Ordinal);

    private static bool IsDeterministic(ZipArchiveEntry assembly)
    {
        using MemoryStream bytes = new();
        using (Stream stream = assembly.Open())
        {
            stream.CopyTo(bytes);
        }

        bytes.Position = 0;
        using PEReader reader = new(bytes);
        return reader.ReadDebugDirectory().Any(entry => entry.Type == DebugDirectoryEntryType.Reproducible);
    }
}
