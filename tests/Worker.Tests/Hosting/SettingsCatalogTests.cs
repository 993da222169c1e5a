using System.Reflection;
using Messaging.Configuration;
using Worker.Hosting;

namespace Worker.Tests.Hosting;

/// <summary>The README's reference and the settings classes say the same.</summary>
public sealed class SettingsCatalogTests
{
    private const string Begin = "<!-- configuration reference: begin -->\n";
    private const string End = "<!-- configuration reference: end -->";

    [Fact]
    public void Readme_Reference_IsWhatTheSettingsClassesSay()
    {
        string readme = File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "README.md"));
        int begin = readme.IndexOf(Begin, StringComparison.Ordinal) + Begin.Length;

        string reference = readme[begin..readme.IndexOf(End, StringComparison.Ordinal)];

        reference.ShouldBe(SettingsReference.ToMarkdown(SettingsCatalog.All), "Run `validate --reference` and paste its table into the README.");
    }

    [Fact]
    public void All_SettingsClasses_AreInTheCatalog()
    {
        IEnumerable<Type> declared = typeof(SettingsCatalog).Assembly.GetTypes()
            .Where(type => type.GetProperties().Any(property => property.IsDefined(typeof(SettingAttribute))));

        SettingsCatalog.All.Select(entry => entry.Settings).ShouldBe(declared, ignoreOrder: true);
    }

    [Fact]
    public void All_Ranges_CanBeReadAndHoldTheDefault()
    {
        foreach ((string section, Type type) in SettingsCatalog.All)
        {
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

                    SettingText.TryParse(limit, property.PropertyType, setting.Bytes, out object? value).ShouldBeTrue($"{section}:{property.Name} {limit}");
                    // Not set is within every range.
                    ((property.GetValue(defaults) is IComparable given ? given.CompareTo(value) : 0) * sign).ShouldBeGreaterThanOrEqualTo(0, $"{section}:{property.Name} {limit}");
                }
            }
        }
    }
}
