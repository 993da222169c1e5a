using System.Collections.ObjectModel;
using Microsoft.Extensions.Configuration;
using Quayside.Messaging.Configuration;

namespace Messaging.Tests.Configuration;

/// <summary>Lists of named values.</summary>
public sealed class NamedSettingsTests
{
    [Fact]
    public void Read_NamedValues_AreReadWithTheirNamesAsWritten()
    {
        SettingsReader reader = Reader(("Sample:Tags:Team", " billing "), ("Sample:Tags:cost:centre", "42"), ("Sample:Tags:off", ""));

        NamedOptions sample = reader.Read<NamedOptions>("Sample");

        reader.Errors.ShouldBeEmpty();
        sample.Tags.ShouldBe([new("Team", "billing"), new("cost:centre", "42")], ignoreOrder: true);
    }

    [Fact]
    public void Read_NamedValuesOfARoute_AddToTheSharedOnesAndReplaceThoseOfTheirNames()
    {
        SettingsReader reader = Reader(
            ("Sample:Tags:team", "all"), ("Sample:Tags:env", "prod"), ("Routes:orders:Sample:Tags:TEAM", "orders"), ("Routes:orders:Sample:Tags:class", "b"));

        reader.Read<NamedOptions>("Sample", "orders").Tags.ShouldBe([new("TEAM", "orders"), new("env", "prod"), new("class", "b")], ignoreOrder: true);
        reader.Read<NamedOptions>("Sample", "others").Tags.ShouldBe([new("team", "all"), new("env", "prod")], ignoreOrder: true);
        reader.Errors.ShouldBeEmpty();
    }

    [Fact]
    public void Read_NoNamedValues_IsEmptyAndTheDefault()
    {
        SettingsReader reader = Reader();

        reader.Read<NamedOptions>("Sample").Tags.ShouldBeEmpty();

        EffectiveSetting tags = reader.Effective.Single(setting => setting.Key == "Sample:Tags");
        (tags.Value, tags.IsDefault).ShouldBe(("", true));
    }

    [Fact]
    public void Effective_NamedValues_AreShownOneByOneWhereTheyAreSet()
    {
        SettingsReader reader = Reader(("Sample:Tags:team", "all"), ("Sample:Tags:env", "prod"), ("Routes:orders:Sample:Tags:team", "orders"));

        reader.Read<NamedOptions>("Sample", "orders");

        reader.Effective
            .Where(setting => setting.Key.Contains("Tags"))
            .Select(setting => $"{setting.Key}={setting.Value}")
            .ShouldBe(["Routes:orders:Sample:Tags:team=orders", "Sample:Tags:env=prod"], ignoreOrder: true);
    }

    [Theory]
    [InlineData("cost:owner", "ops@a.io", "ops@a.io")]
    [InlineData("owner", "mail:x@y.z", "***@y.z")]
    [InlineData("team", "a=b@example.com", "a=b@example.com")]
    [InlineData("api-token", "canary", "***")]
    [InlineData("password", "c", "***")]
    public void Effective_NamedValue_IsMaskedByItsNameAndByWhatItIs(string name, string value, string shown)
    {
        SettingsReader reader = Reader(($"Sample:Tags:{name}", value));

        reader.Read<NamedOptions>("Sample");

        reader.Effective.Single(setting => setting.Key == $"Sample:Tags:{name}").Value.ShouldBe(shown);
    }

    [Theory]
    [InlineData("Sample:Tags")]
    [InlineData("Routes:orders:Sample:Tags")]
    public void Read_OneValueWhereNamedOnesBelong_IsAnError(string key)
    {
        SettingsReader reader = Reader((key, "team=billing"));

        reader.Read<NamedOptions>("Sample", "orders");

        reader.Errors
            .ShouldHaveSingleItem()
            .ToString()
            .ShouldBe($"{key}: must be a section of named values, such as {key}:name=value. It would have no effect.");
    }

    [Fact]
    public void CheckUnused_NamedValues_AreAllowedAndAValueIsNot()
    {
        SettingsReader right = Reader(("Sample:Tags:team", "all"));
        right.CheckUnused("Sample", typeof(NamedOptions));
        right.Errors.ShouldBeEmpty();

        SettingsReader wrong = Reader(("Sample:Tags", "all"));
        wrong.CheckUnused("Sample", typeof(NamedOptions));
        wrong.Errors.ShouldHaveSingleItem().Problem.ShouldContain("must be a section of named values");
    }

    [Fact]
    public void Reference_NamedValues_AreShownWithAPlaceForTheName() =>
        SettingsReference.ToMarkdown([SettingsSection.Of<NamedOptions>("Sample")]).ShouldContain("| `Sample:Tags:{name}` | (not set) | Tags |");

    private static SettingsReader Reader(params (string Key, string? Value)[] values) =>
        new(new ConfigurationBuilder().AddInMemoryCollection(values.Select(value => new KeyValuePair<string, string?>(value.Key, value.Value))).Build());

    private sealed class NamedOptions
    {
        [Setting("Tags")]
        public IReadOnlyDictionary<string, string> Tags { get; init; } = ReadOnlyDictionary<string, string>.Empty;
    }
}
