using System.Runtime.CompilerServices;
using Messaging.Tests.Configuration;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Handlers;
using Shared.Hosting;

namespace Messaging.Tests.Hosting;

/// <summary>docs/reference/configuration.md matches the settings classes.</summary>
public sealed class SettingsReferenceTests
{
    private const string Begin = "<!-- configuration reference: begin -->\n";
    private const string End = "<!-- configuration reference: end -->";

    private static IReadOnlyList<SettingsSection> Sections => WorkerHost.Features().Sections.All;

    [Fact]
    public void Page_Table_MatchesTheSettingsClasses()
    {
        string path = Path.Combine(Folder(), "../../../docs/reference/configuration.md");
        string page = File.ReadAllText(path);
        int begin = page.IndexOf(Begin, StringComparison.Ordinal) + Begin.Length;
        int end = page.IndexOf(End, StringComparison.Ordinal);
        string reference = SettingsReference.ToMarkdown(Sections);
        if (Environment.GetEnvironmentVariable("APPROVE") == "1")
        {
            File.WriteAllText(path, page[..begin] + reference + page[end..]);
        }

        page[begin..end].ShouldBe(reference, "Where the change is meant, run once with APPROVE=1 and read the diff.");
    }

    [Fact]
    public void All_SettingsClasses_BelongToAFeature()
    {
        // BatchOptions is read by a program's own batch handlers.
        IEnumerable<Type> declared = SettingsClasses.All.Except([typeof(BatchOptions)]);

        Sections.Select(section => section.SettingsType).OfType<Type>().ShouldBe(declared, ignoreOrder: true);
    }

    private static string Folder([CallerFilePath] string file = "") => Path.GetDirectoryName(file)!;
}
