using Messaging.Tests.Planning;
using Microsoft.Extensions.Configuration;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Planning;
using Quayside.Messaging.Storage;

namespace Messaging.Tests.Hosting;

/// <summary>Mistakes of a program in its worker's features are reported with the configuration errors.</summary>
public sealed class WorkerFeaturesTests
{
    private readonly WorkerFeatures _features =
        FakeFeatures.Of([new FakeSource("Channel"), new FakeSource("Http")], [new FakeHandler("Archive")], [new FakeSink("Directory")]);

    [Fact]
    public void Plan_NothingCollides_HasNoError() => Errors().ShouldBeEmpty();

    [Fact]
    public void Plan_NameTwice_NamesBothClasses()
    {
        _features.Add(new FakeSource("HTTP"));
        _features.Add(new DirectorySinkFeature());

        string[] errors = Errors();
        errors.Length.ShouldBe(2);
        errors[0].ShouldStartWith($"Sources:HTTP: is added twice ({typeof(FakeSource).FullName})");
        errors[1].ShouldStartWith($"Sinks:Directory: is added by {typeof(FakeSink).FullName} and by {typeof(DirectorySinkFeature).FullName}");
    }

    [Theory]
    [InlineData("")]
    [InlineData("two words")]
    [InlineData("a:b")]
    public void Plan_InvalidFeatureName_IsAnError(string name)
    {
        _features.Add(new FakeHandler(name));

        Errors().ShouldHaveSingleItem().ShouldStartWith($"Handlers:{name}: the name of {typeof(FakeHandler).FullName}");
    }

    [Fact]
    public void Plan_FeatureThatListsAnothersSection_IsAnError()
    {
        _features.Add(new FakeSink("Table") { Settings = [SettingsSection.Of<FakeFeatureOptions>("Sinks:Directory")] });

        Errors().ShouldHaveSingleItem().ShouldStartWith($"Sinks:Directory: is listed by {typeof(FakeSink).FullName}");
    }

    [Theory]
    [InlineData("Sources:Http")]
    [InlineData("Routes:{name}")]
    [InlineData("Sinks")]
    public void AddSettings_ReservedSection_IsAnError(string name)
    {
        _features.Add(SettingsSection.Of<FakeFeatureOptions>(name));

        Errors().ShouldHaveSingleItem().ShouldStartWith($"{name}: cannot be the name of a section of {typeof(FakeFeatureOptions).FullName}");
    }

    [Fact]
    public void AddSettings_KeyOfABuiltInSection_IsAnError()
    {
        _features.Add(SettingsSection.Of<DrainOptions>("Hosting"));

        Errors()
            .ShouldHaveSingleItem()
            .ShouldStartWith($"Hosting:DrainTimeout: is read by two classes, {typeof(DrainOptions).FullName} and {typeof(HostingOptions).FullName}");
    }

    [Fact]
    public void AddSettings_InsideAnother_IsAnError()
    {
        _features.Add(SettingsSection.Of<FakeFeatureOptions>("Hosting:Tenants"));

        Errors().ShouldHaveSingleItem().ShouldStartWith($"Hosting:Tenants: is the section of {typeof(FakeFeatureOptions).FullName}");
    }

    [Fact]
    public void AddSettings_KeysThatNoValueFits_AreErrors()
    {
        _features.Add(SettingsSection.Of<UnusableOptions>("Tenants"));

        Errors().Select(error => error.Split(": ")[0]).ShouldBe(["Tenants:Ports", "Tenants:Fixed", "Tenants:Lifetime"]);
    }

    [Fact]
    public void AddSettings_SectionTwice_IsOne()
    {
        _features.Add(SettingsSection.Of<FakeFeatureOptions>("Tenants"));
        _features.Add(SettingsSection.Of<FakeFeatureOptions>("tenants"));

        Errors("Tenants:Speed=3").ShouldBeEmpty();
        _features.Sections.All.Count(section => section.Root == "Tenants").ShouldBe(1);
    }

    [Fact]
    public void Plan_SectionOfTwoClasses_KnowsTheKeysOfBoth()
    {
        _features.Add(SettingsSection.Of<FakeFeatureOptions>("Hosting"));

        Errors("Hosting:Speed=3", "Hosting:DrainTimeout=3s").ShouldBeEmpty();
        Errors("Hosting:Sped=3", "Hosting:Speed=10").ShouldBe(
            ["Hosting:Sped: is not a known key. Did you mean Speed? It would have no effect.", "Hosting:Speed = \"10\": must be from 1 to 9."],
            ignoreOrder: true);
    }

    [Fact]
    public void Plan_SectionThatRoutesMayGive_IsKnownBelowThem()
    {
        _features.Add(SettingsSection.Of<FakeFeatureOptions>("Tenants", perRoute: true));
        _features.Add(SettingsSection.Of<FakeFeatureOptions>("Process"));

        Errors("Routes:a:Tenants:Speed=3").ShouldBeEmpty();
        Errors("Routes:a:Tenants:Speed=10").ShouldBe(["Routes:a:Tenants:Speed = \"10\": must be from 1 to 9."]);
        Errors("Routes:a:Process:Speed=3").ShouldHaveSingleItem().ShouldStartWith("Routes:a:Process: is not a known key.");
    }

    [Fact]
    public void Plan_SectionOfOtherCode_IsNotChecked()
    {
        _features.Add(SettingsSection.Unchecked("AllowedHosts"));
        _features.Add(SettingsSection.Unchecked("ConnectionStrings"));

        Errors("AllowedHosts=*", "ConnectionStrings:Orders=Host=db").ShouldBeEmpty();
    }

    [Fact]
    public void Plan_CheckOfASection_ReportsAmongTheOthers()
    {
        _features.Add(
            SettingsSection.Of<FakeFeatureOptions>(
                "Tenants", check: static (tenants, settings) => settings.Fail("Tenants:Speed", $"{tenants.Speed}", "must be even.")));

        Errors("Tenants:Speed=3").ShouldBe(["Tenants:Speed = \"3\": must be even."]);
    }

    private string[] Errors(params string[] keys)
    {
        WorkerPlan plan = new WorkerPlanner(new ConfigurationBuilder().AddCommandLine([.. keys.Select(key => $"--{key}")]).Build(), _features).Plan();
        return [.. plan.Errors.Select(error => error.ToString())];
    }

    private sealed class UnusableOptions
    {
        [Setting("Ports that are open")]
        public int[] Ports { get; set; } = [];

        [Setting("Never another")]
        public int Fixed { get; } = 3;

        [Setting("How long", Max = "long")]
        public TimeSpan Lifetime { get; set; }
    }

    private sealed class DrainOptions
    {
        [Setting("How long")]
        public TimeSpan DrainTimeout { get; set; }
    }
}
