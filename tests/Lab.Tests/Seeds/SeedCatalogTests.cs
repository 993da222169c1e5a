using System.Reflection;
using System.Text.RegularExpressions;
using BenchmarkDotNet.Attributes;
using Benchmarks;
using Lab.Seeds;
using Quayside.Pipeline.Execution;

namespace Lab.Tests.Seeds;

/// <summary>The published tables refer to benchmarks that exist, and each table has its block in the pages.</summary>
public sealed partial class SeedCatalogTests
{
    // Reports of commands, and suites that a build may leave out; both are shown as not run.
    private static readonly string[] Optional = ["udp", "udp64"];

    private static readonly Type[] Suites = [.. LabSuites.All, .. BenchmarkCommand.Suites];

    private static readonly SeedCatalog Catalog = SeedCatalog.Load();

    [Fact]
    public void Tables_Names_AreUniqueAndOfAKnownSource()
    {
        Catalog.Tables.Select(table => table.Name).ShouldBeUnique();
        Catalog.Tables.ShouldAllBe(table => Catalog.Sources.Count(source => source.Name == table.Source) == 1);
        Catalog.Sources.ShouldAllBe(source => Catalog.Tables.Any(table => table.Source == source.Name));
    }

    [Fact]
    public void Tables_Rows_ReferToBenchmarksThatExist()
    {
        string[] wrong =
        [
            .. Catalog.Tables.SelectMany(table => table.Cases)
                .SelectMany(one => (string?[])[one.Here.Original, one.Here.Optimised, one.Here.Ours])
                .Where(name => name is not null && !Exists(name))
                .Select(name => name!),
        ];

        wrong.ShouldBeEmpty();
    }

    [Fact]
    public void Document_Tables_EachHasABlock()
    {
        string document = string.Concat(Directory.EnumerateFiles(Path.Combine(Documents.Root, "lab", "docs", "seeds"), "*.md").Select(File.ReadAllText));

        MarkedText.Names(document, SeedText.Mark).Where(name => name != "Here").ShouldBe(Catalog.Tables.Select(table => table.Name), ignoreOrder: true);
        foreach (SeedTable table in Catalog.Tables)
        {
            // One row per case, a header and a rule; the command writes them from this catalog.
            MarkedText.Content(document, SeedText.Mark, table.Name).Split('\n').Length.ShouldBe(table.Cases.Count + 2, table.Name);
        }
    }

    private static bool Exists(string name)
    {
        if (name.Split('.') is ["harness", string form, string kind])
        {
            return PipelineForm.TryParse(form, out _) && HarnessProfile.Names.Contains(kind);
        }

        Match parts = Name().Match(name);
        Type? suite = Suites.SingleOrDefault(type => type.Name == parts.Groups["suite"].Value);
        if (suite is null && Optional.Contains(parts.Groups["suite"].Value))
        {
            return true;
        }

        PropertyInfo? parameter = suite?.GetProperties().SingleOrDefault(property => property.IsDefined(typeof(ParamsAttribute), true));
        return suite?.GetMethod(parts.Groups["method"].Value)?.IsDefined(typeof(BenchmarkAttribute), true) == true
            && (parameter is null
                ? !parts.Groups["parameter"].Success
                : parts.Groups["parameter"].Value == parameter.Name
                    && parameter.GetCustomAttribute<ParamsAttribute>()!.Values.Any(value => value!.ToString() == parts.Groups["value"].Value));
    }

    [GeneratedRegex(@"\A(?<suite>\w+)\.(?<method>\w+)(\((?<parameter>\w+): (?<value>\w+)\))?\z", RegexOptions.ExplicitCapture)]
    private static partial Regex Name();
}
