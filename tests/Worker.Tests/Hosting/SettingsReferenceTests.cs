using System.Reflection;
using Messaging.Configuration;
using Messaging.Handlers;
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

    [Fact]
    public void All_Ranges_CanBeReadAndHoldTheDefault()
    {
        foreach (SettingsSection section in Sections.Where(section => section.SettingsType is not null))
        {
            Type type = section.SettingsType!;
            object defaults = Activator.CreateInstance(type)!;
            foreach (PropertyInfo property in type.GetProperties().Where(property => property.IsDefined(typeof(SettingAttribute))))
            {
                SettingAttribute setting = property.GetCustomAttribute<SettingAttribute>()!;
                foreach ((string? limit, int sign) in (ReadOnlySpan<(string?, int)>)[(setting.Min, 1), (setting.Max, -1)])
                {
                    if (limit is null)
                    {
                        continue;
                    }

                    SettingText.TryParse(limit, property.PropertyType, setting.Bytes, out object? value).ShouldBeTrue($"{section.Name}:{property.Name} {limit}");
                    // A default that is not set is within every range.
                    ((property.GetValue(defaults) is IComparable given ? given.CompareTo(value) : 0) * sign).ShouldBeGreaterThanOrEqualTo(0, $"{section.Name}:{property.Name} {limit}");
                }
            }
        }
    }
}
