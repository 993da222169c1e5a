using System.Text;
using Microsoft.Extensions.Configuration;
using Quayside.Messaging.Configuration;

namespace Messaging.Tests.Configuration;

public sealed class SettingsReaderTests
{
    private const string Secret = "hunter2-canary";

    [Fact]
    public void Read_EverythingGiven_IsRead()
    {
        SettingsReader reader = Reader(
            ("Sample:Count", "5"),
            ("Sample:Size", "64KiB"),
            ("Sample:Wait", "1m"),
            ("Sample:Share", "0.25"),
            ("Sample:Enabled", "true"),
            ("Sample:Day", "monday"),
            ("Sample:Endpoint", "http://127.0.0.1:4566"),
            ("Sample:Names", "x, y"),
            ("Sample:Limit", "6"),
            ("Sample:Password", Secret),
            ("Sample:Place", " here "));

        SampleOptions sample = reader.Read<SampleOptions>("Sample");

        reader.Errors.ShouldBeEmpty();
        sample.Count.ShouldBe(5);
        sample.Size.ShouldBe(65_536);
        sample.Wait.ShouldBe(TimeSpan.FromMinutes(1));
        sample.Share.ShouldBe(0.25);
        sample.Enabled.ShouldBeTrue();
        sample.Day.ShouldBe(DayOfWeek.Monday);
        sample.Endpoint.ShouldBe(new Uri("http://127.0.0.1:4566"));
        sample.Names.ShouldBe(["x", "y"]);
        sample.Limit.ShouldBe(6);
        sample.Password.ShouldBe(Secret);
        sample.Place.ShouldBe("here");
    }

    [Fact]
    public void Read_OnlyTheRequiredKey_EverythingElseIsDefault()
    {
        SettingsReader reader = Reader(("Sample:Place", "here"));

        SampleOptions sample = reader.Read<SampleOptions>("Sample");

        reader.Errors.ShouldBeEmpty();
        sample.Count.ShouldBe(3);
        sample.Names.ShouldBe(["a"]);
        sample.Limit.ShouldBeNull();
    }

    [Fact]
    public void Effective_ValueThatIsSetToItsDefault_IsTheDefault()
    {
        SettingsReader reader = Reader(
            ("Sample:Place", "here"), ("Sample:Count", "3"), ("Sample:Size", "1024KiB"), ("Sample:Wait", "2000ms"), ("Sample:Names", "a"),
            ("Sample:Share", "0.25"), ("Sample:Password", Secret));

        reader.Read<SampleOptions>("Sample");

        reader.Effective
            .Where(setting => !setting.IsDefault)
            .Select(setting => setting.Key)
            .ShouldBe(["Sample:Place", "Sample:Share", "Sample:Password"], ignoreOrder: true);
    }

    [Theory]
    [InlineData("")]
    [InlineData("  ")]
    public void Read_EmptyValue_MeansNotSet(string empty)
    {
        SettingsReader reader = Reader(("Sample:Place", "here"), ("Sample:Count", empty), ("Sample:Password", empty));

        SampleOptions sample = reader.Read<SampleOptions>("Sample");

        reader.Errors.ShouldBeEmpty();
        sample.Count.ShouldBe(3);
        sample.Password.ShouldBeNull();
    }

    [Theory]
    [InlineData(null)]
    [InlineData("")]
    [InlineData("  ")]
    public void Read_RequiredKeyMissing_IsAnError(string? place)
    {
        SettingsReader reader = Reader(("Sample:Place", place));

        reader.Read<SampleOptions>("Sample");

        ErrorsOf(reader).ShouldBe(["Sample:Place: must be set: The place. Nothing could be stored."]);
    }

    [Fact]
    public void Read_RequiredKeyOfARouteMissing_NamesTheRoute()
    {
        SettingsReader reader = Reader();

        reader.Read<SampleOptions>("Sample", "orders");

        ErrorsOf(reader).ShouldHaveSingleItem().ShouldStartWith("Sample:Place: must be set for route orders (or Routes:orders:Sample:Place)");
    }

    [Theory]
    [InlineData("Count", "many", "must be a whole number from 1 to 10. Too many tire us.")]
    [InlineData("Count", "0", "must be from 1 to 10. Too many tire us.")]
    [InlineData("Count", "11", "must be from 1 to 10. Too many tire us.")]
    [InlineData("Count", "99999999999", "must be a whole number from 1 to 10. Too many tire us.")]
    [InlineData("Size", "1023", "must be from 1KiB to 1GiB.")]
    [InlineData("Size", "1073741825", "must be from 1KiB to 1GiB.")]
    [InlineData("Size", "big", "must be a number of bytes such as 65536 or 64KiB from 1KiB to 1GiB.")]
    [InlineData("Wait", "9ms", "must be from 10ms to 1h.")]
    [InlineData("Wait", "61m", "must be from 10ms to 1h.")]
    [InlineData("Wait", "20", "must be a time such as 250ms, 20s, 5m or 00:00:20 from 10ms to 1h.")]
    [InlineData("Share", "1.1", "must be from 0 to 1.")]
    [InlineData("Enabled", "on", "must be true or false.")]
    [InlineData("Day", "3", "must be one of Sunday, Monday, Tuesday, Wednesday, Thursday, Friday, Saturday.")]
    [InlineData("Endpoint", "localhost:80", "must be an absolute address that begins with http:// or https://.")]
    [InlineData("Limit", "4", "must be 5 or more.")]
    public void Read_WrongValue_SaysWhatIsAllowed(string key, string value, string problem)
    {
        SettingsReader reader = Reader(("Sample:Place", "here"), ($"Sample:{key}", value));

        reader.Read<SampleOptions>("Sample");

        ErrorsOf(reader).ShouldBe([$"Sample:{key} = \"{value}\": {problem}"]);
    }

    [Theory]
    [InlineData("1")]
    [InlineData("10")]
    public void Read_ValueAtTheEdgeOfItsRange_IsAllowed(string value)
    {
        SettingsReader reader = Reader(("Sample:Place", "here"), ("Sample:Count", value));

        reader.Read<SampleOptions>("Sample");

        reader.Errors.ShouldBeEmpty();
    }

    [Fact]
    public void Read_SeveralProblems_AllAreFound()
    {
        SettingsReader reader = Reader(("Sample:Count", "0"), ("Sample:Wait", "soon"), ("Sample:Enabld", "true"), ("Sample:Day", "Someday"));

        reader.Read<SampleOptions>("Sample");

        reader.Errors.Select(error => error.Key).ShouldBe(["Sample:Count", "Sample:Wait", "Sample:Day", "Sample:Place", "Sample:Enabld"], ignoreOrder: true);
        new ConfigurationException(reader.Errors).Message.ShouldStartWith($"The configuration has 5 problem(s):{Environment.NewLine}  - Sample:");
    }

    [Theory]
    [InlineData("Cuont", "is not a known key. Did you mean Count? It would have no effect.")]
    [InlineData("pasword", "is not a known key. Did you mean Password? It would have no effect.")]
    [InlineData(
        "Internal",
        "is not a known key. Known here: Count, Size, Wait, Share, Enabled, Day, Endpoint, Names, Limit, Password, Place. It would have no effect.")]
    [InlineData(
        "Whatever:Nested",
        "is not a known key. Known here: Count, Size, Wait, Share, Enabled, Day, Endpoint, Names, Limit, Password, Place. It would have no effect.")]
    public void Read_UnknownKey_SuggestsTheNearestAndDoesNotShowTheValue(string key, string problem)
    {
        SettingsReader reader = Reader(("Sample:Place", "here"), ($"Sample:{key}", Secret));

        reader.Read<SampleOptions>("Sample");

        ErrorsOf(reader).ShouldBe([$"Sample:{key.Split(':')[0]}: {problem}"]);
    }

    [Theory]
    [InlineData("Count", "0")]
    [InlineData("Place", "x")]
    public void Read_SectionWhereAValueBelongs_IsAnError(string key, string below)
    {
        SettingsReader reader = Reader(("Sample:Place", "here"), ($"Sample:{key}:{below}", "1"));

        reader.Read<SampleOptions>("Sample");

        ErrorsOf(reader).ShouldBe([$"Sample:{key}: must be a single value, but Sample:{key}:{below} was given."]);
    }

    [Fact]
    public void Read_JsonArray_IsAListWhoseItemsMayHoldCommas()
    {
        string items = string.Join(", ", Enumerable.Range(0, 11).Select(i => $"\"{i},\""));
        SettingsReader reader = new(Json($$$"""{"Sample":{"Place":"here","Names":[{{{items}}}]}}"""));

        SampleOptions sample = reader.Read<SampleOptions>("Sample");

        reader.Errors.ShouldBeEmpty();
        sample.Names.ShouldBe(Enumerable.Range(0, 11).Select(i => $"{i},"));
        reader.Effective.Single(setting => setting.Key == "Sample:Names").Value.ShouldStartWith("0,, 1,, 2,");
    }

    [Theory]
    [InlineData("""{"Names":["x","y","z"]}""", """{"Names":"a, b"}""", "a b")]
    [InlineData("""{"Names":"a, b"}""", """{"Names":["x","y"]}""", "x y")]
    [InlineData("""{"Names":["x","y","z"]}""", """{"Names":["b"]}""", "b y z")]
    [InlineData("""{"Names":["x","y"]}""", """{"Names":""}""", "x y")]
    public void Read_ListInTwoPlaces_TheLaterOneWins(string first, string second, string expected)
    {
        SettingsReader reader = new(Json($$$"""{"Sample":{{{first}}}}""", $$$"""{"Sample":{{{second}}}}""", """{"Sample":{"Place":"here"}}"""));

        reader.Read<SampleOptions>("Sample").Names.ShouldBe(expected.Split(' '));
        reader.Errors.ShouldBeEmpty();
    }

    [Fact]
    public void Read_JsonArrayOfARoute_ReplacesTheShared()
    {
        SettingsReader reader = new(Json("""{"Sample":{"Place":"here","Names":["x","y"]},"Routes":{"r":{"Sample":{"Names":["z"]}}}}"""));

        reader.Read<SampleOptions>("Sample", "r").Names.ShouldBe(["z"]);
    }

    [Theory]
    [InlineData("""["a",""]""", "Sample:Names:1 is empty or a section")]
    [InlineData("""["a",{"b":"c"}]""", "Sample:Names:1 is empty or a section")]
    [InlineData("""{"x":"a"}""", "Sample:Names:x is not an item of a list")]
    public void Read_NoListOfTexts_IsAnError(string names, string problem)
    {
        SettingsReader reader = new(Json($$$"""{"Sample":{"Place":"here","Names":{{{names}}}}}"""));

        reader.Read<SampleOptions>("Sample");

        ErrorsOf(reader).ShouldBe([$"Sample:Names: must be a list of texts, such as [\"a\", \"b\"], or one text separated by commas, but {problem}."]);
    }

    [Fact]
    public void Read_ValueWhereASectionBelongs_IsAnErrorAndKeptSecret()
    {
        SettingsReader reader = Reader(("Some:Sample:Place", "here"), ("Some:Sample", Secret), ("Some:Unused", Secret));

        reader.Read<SampleOptions>("Some:Sample");
        reader.CheckUnused("Some:Unused", typeof(SampleOptions));

        ErrorsOf(reader).ShouldBe([
            "Some:Sample: must be a section, but a value was given. It would have no effect.",
            "Some:Unused: must be a section, but a value was given. It would have no effect.",
        ]);
    }

    [Theory]
    [InlineData("x", "must be a whole number from 1 to 10. Too many tire us.")]
    [InlineData("0", "must be from 1 to 10. Too many tire us.")]
    public void Read_WrongValueThatARouteOverrides_IsAnError(string value, string problem)
    {
        SettingsReader reader = Reader(("Sample:Place", "here"), ("Sample:Count", value), ("Routes:a:Sample:Count", "5"));

        reader.Read<SampleOptions>("Sample", "a").Count.ShouldBe(5);

        ErrorsOf(reader).ShouldBe([$"Sample:Count = \"{value}\": {problem}"]);
    }

    [Fact]
    public void Read_KeysInAnyCase_AreKnown()
    {
        SettingsReader reader = Reader(("sample:PLACE", "here"), ("SAMPLE:count", "9"));

        reader.Read<SampleOptions>("Sample").Count.ShouldBe(9);

        reader.Errors.ShouldBeEmpty();
    }

    [Fact]
    public void Read_ForARoute_ItsValuesWinOverTheGlobalOnes()
    {
        SettingsReader reader = Reader(
            ("Sample:Place", "everywhere"),
            ("Sample:Count", "1"),
            ("Routes:a:Sample:Count", "2"),
            ("Routes:b:Sample:Place", "b"),
            ("Routes:c:Sample:Count", ""));

        SampleOptions a = reader.Read<SampleOptions>("Sample", "a");
        SampleOptions b = reader.Read<SampleOptions>("Sample", "b");
        SampleOptions c = reader.Read<SampleOptions>("Sample", "c");

        reader.Errors.ShouldBeEmpty();
        (a.Count, a.Place).ShouldBe((2, "everywhere"));
        (b.Count, b.Place).ShouldBe((1, "b"));
        (c.Count, c.Place).ShouldBe((1, "everywhere"));
        reader.Effective.Single(setting => setting.Key == "Routes:a:Sample:Count").Value.ShouldBe("2");
        reader.Effective.Single(setting => setting.Key == "Sample:Count").Value.ShouldBe("1");
    }

    [Fact]
    public void Read_WrongValueOfARoute_NamesTheRoutesKey()
    {
        SettingsReader reader = Reader(("Sample:Place", "x"), ("Sample:Count", "1"), ("Routes:a:Sample:Count", "99"), ("Routes:a:Sample:Cont", "1"));

        reader.Read<SampleOptions>("Sample", "a");

        reader.Errors.Select(error => error.Key).ShouldBe(["Routes:a:Sample:Count", "Routes:a:Sample:Cont"]);
    }

    [Fact]
    public void Read_SameSectionForTwoRoutes_ReportsAProblemOnce()
    {
        SettingsReader reader = Reader(("Sample:Place", "x"), ("Sample:Count", "99"));

        reader.Read<SampleOptions>("Sample", "a");
        reader.Read<SampleOptions>("Sample", "b");

        reader.Errors.ShouldHaveSingleItem();
    }

    [Fact]
    public void Read_AllowedSections_AreNotUnknown()
    {
        SettingsReader reader = Reader(("Sample:Place", "x"), ("Sample:Intake:Concurrency", "1"), ("Sample:Other:Key", "1"));

        reader.Read<SampleOptions>("Sample", allowedSections: ["Intake"]);

        reader.Errors.Select(error => error.Key).ShouldBe(["Sample:Other"]);
    }

    [Fact]
    public void Read_RuleAcrossKeysBroken_ReportsEachWithItsValueAndMasksSecrets()
    {
        SettingsReader reader = Reader(("Sample:Place", "x"), ("Sample:Count", "7"), ("Sample:Password", Secret));

        reader.Read<SampleOptions>("Sample");

        ErrorsOf(reader).ShouldBe([
            "Sample:Count = \"7\": must not be seven. It would be unlucky.",
            "Sample:Password = \"***\": must not go with seven.",
        ]);
    }

    [Fact]
    public void Read_AnotherValueInvalid_RulesAreReportedWithIt()
    {
        SettingsReader reader = Reader(("Sample:Place", "x"), ("Sample:Count", "7"), ("Sample:Wait", "soon"));

        reader.Read<SampleOptions>("Sample");

        reader.Errors.Select(error => error.Key).ShouldBe(["Sample:Wait", "Sample:Count", "Sample:Password"]);
    }

    [Theory]
    [InlineData("soon", "Sample:Wait")]
    [InlineData("1s", "Sample:Size")]
    [InlineData("1m", null)]
    public void Read_RuleOverAnInvalidValue_IsNotChecked(string wait, string? expected)
    {
        SettingsReader reader = Reader(("Sample:Place", "x"), ("Sample:Size", "32MiB"), ("Sample:Wait", wait));

        reader.Read<SampleOptions>("Sample");

        reader.Errors.Select(error => error.Key).ShouldBe(expected is null ? [] : [expected]);
    }

    [Fact]
    public void Read_RequiredValueMissing_RulesOfTheOthersAreReportedWithIt()
    {
        SettingsReader reader = Reader(("Sample:Count", "7"));

        reader.Read<SampleOptions>("Sample");

        reader.Errors.Select(error => error.Key).ShouldBe(["Sample:Place", "Sample:Count", "Sample:Password"]);
    }

    [Fact]
    public void Effective_AllKeys_CanonicalTextAndWhereItComesFrom()
    {
        SettingsReader reader = Reader(("Sample:Place", "here"), ("Sample:Size", "65536"), ("Sample:Password", Secret));

        reader.Read<SampleOptions>("Sample");

        reader.Effective.Select(setting => $"{setting.Key}={setting.Value}{(setting.IsDefault ? string.Empty : " (set)")}").ShouldBe([
            "Sample:Count=3",
            "Sample:Size=64KiB (set)",
            "Sample:Wait=2s",
            "Sample:Share=0.5",
            "Sample:Enabled=false",
            "Sample:Day=Friday",
            "Sample:Endpoint=",
            "Sample:Names=a",
            "Sample:Limit=",
            "Sample:Password=*** (set)",
            "Sample:Place=here (set)",
        ]);
        reader.Effective.First().Description.ShouldBe("A count");
    }

    [Fact]
    public void Read_AddressWithAPassword_IsUsedWholeAndShownWithout()
    {
        SettingsReader reader =
            Reader(("Sample:Place", "here"), ("Sample:Endpoint", $"http://user:{Secret}@host/"), ("Sample:Wait", $"http://user:{Secret}@host/"));

        SampleOptions sample = reader.Read<SampleOptions>("Sample");

        sample.Endpoint!.UserInfo.ShouldBe($"user:{Secret}");
        reader.Effective.Single(setting => setting.Key == "Sample:Endpoint").Value.ShouldBe("http://***@host/");
        ErrorsOf(reader).Single().ShouldStartWith("Sample:Wait = \"http://***@host/\": must be a time");
    }

    [Fact]
    public void AnythingShown_WithASecretInEveryPlace_NeverShowsIt()
    {
        SettingsReader reader = Reader(
            ("Sample:Count", "7"),
            ("Sample:Password", Secret),
            ("Sample:Pasword", Secret),
            ("Routes:a:Sample:Password", Secret),
            ("Routes:a:Sample:Passwort", Secret));

        reader.Read<SampleOptions>("Sample");
        reader.Read<SampleOptions>("Sample", "a");

        string everything = new ConfigurationException(reader.Errors).ToString() + string.Join(' ', reader.Effective);
        everything.ShouldNotContain(Secret);
        reader.Errors.Count.ShouldBeGreaterThan(2);
    }

    private static SettingsReader Reader(params (string Key, string? Value)[] values) =>
        new(new ConfigurationBuilder().AddInMemoryCollection(values.Select(pair => KeyValuePair.Create(pair.Key, pair.Value))).Build());

    private static IEnumerable<string> ErrorsOf(SettingsReader reader) => reader.Errors.Select(error => error.ToString());

    private static IConfigurationRoot Json(params string[] files) =>
        files
            .Aggregate(
                new ConfigurationBuilder(), (builder, file) => (ConfigurationBuilder)builder.AddJsonStream(new MemoryStream(Encoding.UTF8.GetBytes(file))))
            .Build();
}
