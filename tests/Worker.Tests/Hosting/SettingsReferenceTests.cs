using Quayside.Messaging.Configuration;
using Quayside.Messaging.Handlers;
using Shared.Hosting;
using Worker.Tests.Configuration;

namespace Worker.Tests.Hosting;

/// <summary>docs/reference/configuration.md matches the settings classes.</summary>
public sealed class SettingsReferenceTests
{
    private const string Begin = "<!-- configuration reference: begin -->\n";
    private const string End = "<!-- configuration reference: end -->";

    private static IReadOnlyList<SettingsSection> Sections => WorkerHost.Features().Sections.All;

    [Fact]
    public void Page_Table_MatchesTheSettingsClasses()
    {
        string page = File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "configuration.md"));
        int begin = page.IndexOf(Begin, StringComparison.Ordinal) + Begin.Length;

        string reference = page[begin..page.IndexOf(End, StringComparison.Ordinal)];

        reference.ShouldBe(SettingsReference.ToMarkdown(Sections), "Run `validate --reference` and paste its table into docs/reference/configuration.md.");
    }

    [Fact]
    public void All_SettingsClasses_BelongToAFeature()
    {
        // BatchOptions is read by a program's own batch handlers.
        IEnumerable<Type> declared = SettingsClasses.All.Except([typeof(BatchOptions)]);

        Sections.Select(section => section.SettingsType).OfType<Type>().ShouldBe(declared, ignoreOrder: true);
    }
}
