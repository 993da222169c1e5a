using Quayside.Messaging.Archive.ObjectKeys;

namespace Messaging.Tests.Archive.ObjectKeys;

/// <summary>The cases of the seed, and similar ones.</summary>
public sealed class KeyTemplateSeedCasesTests
{
    private const string Id = "0f8fad5b-d9cb-469f-a165-70867728950e";

    [Fact]
    public void TryWrite_AllPartsPresent_GivesTheKeyOfTheSeed() =>
        KeyRun.Key($$"""{"EventDateUtc":"2019-04-01T10:00:00Z","Product":"My Product","SiteKey":"Site Key","EventName":"My Event","MessageId":"{{Id}}"}""")
            .ShouldBe($"my_product/site_key/my_event/2019/04/01/10/{Id}.json");

    [Fact]
    public void TryWrite_SmallDateNumbers_ArePaddedWithZeros() =>
        KeyRun.Key($$"""{"EventDateUtc":"0007-01-02T03:04:05Z","Product":"p","SiteKey":"s","EventName":"e","MessageId":"{{Id}}"}""")
            .ShouldBe($"p/s/e/0007/01/02/03/{Id}.json");

    [Theory]
    [InlineData("")]
    [InlineData("\"EventDateUtc\":null,")]
    [InlineData("\"EventDateUtc\":\"\",")]
    public void TryWrite_NoDate_LeavesTheDateLevelsOut(string date) =>
        KeyRun.Key($$"""{{{date}}"Product":"p","SiteKey":"s","EventName":"e","MessageId":"{{Id}}"}""").ShouldBe($"p/s/e/{Id}.json");

    [Theory]
    [InlineData("Product", "unknown/s/e")]
    [InlineData("SiteKey", "p/unknown/e")]
    [InlineData("EventName", "p/s/unknown")]
    public void TryWrite_PartMissingNullOrEmpty_IsUnknown(string absent, string expected)
    {
        var parts = new Dictionary<string, string?>(StringComparer.Ordinal) { ["Product"] = "p", ["SiteKey"] = "s", ["EventName"] = "e", ["MessageId"] = Id };
        foreach (string? nothing in new[] { null, "" })
        {
            parts[absent] = nothing;
            KeyRun.Run(KeyRun.Body(parts), [], KeyRun.Compile()).Key.ShouldBe($"{expected}/{Id}.json");
        }

        parts.Remove(absent);
        KeyRun.Run(KeyRun.Body(parts), [], KeyRun.Compile()).Key.ShouldBe($"{expected}/{Id}.json");
    }

    [Fact]
    public void TryWrite_NothingAtAll_IsUnknownWithTheIdOfTheSource() =>
        KeyRun.Key("{}", "source-id").ShouldBe("unknown/unknown/unknown/source-id.json");

    [Theory]
    [InlineData("Product", "invalid/s/e")]
    [InlineData("SiteKey", "p/invalid/e")]
    [InlineData("EventName", "p/s/invalid")]
    public void TryWrite_CharacterOutsideTheRule_MakesThePartInvalid(string broken, string expected)
    {
        var parts = new Dictionary<string, string?>(StringComparer.Ordinal) { ["Product"] = "p", ["SiteKey"] = "s", ["EventName"] = "e", ["MessageId"] = Id };
        parts[broken] = "My Part!";
        KeyRun.Run(KeyRun.Body(parts), [], KeyRun.Compile()).Key.ShouldBe($"{expected}/{Id}.json");
    }

    [Theory]
    [InlineData("null")]
    [InlineData("\"\"")]
    public void TryWrite_NoIdInTheBody_TakesTheIdOfTheSource(string id) =>
        KeyRun.Key($$"""{"MessageId":{{id}}}""", "from-the-queue").ShouldBe("unknown/unknown/unknown/from-the-queue.json");

    [Fact]
    public void TryWrite_NoIdAnywhere_IsPoison()
    {
        var (key, poison) = KeyRun.Run("{}"u8.ToArray(), [], KeyRun.Compile());

        key.ShouldBeNull();
        poison.ToString().ShouldBe("missing-id at byte 0, property \"MessageId\"");
    }

    [Fact]
    public void TryWrite_OtherPropertiesAndPrefix_AreUsed()
    {
        var options = new ArchiveOptions { Template = "{Customer}/dt={At:yyyy-MM-dd}/{Id}.json", MessageIdProperty = "Id", KeyPrefix = "archive/prod" };

        KeyRun.Key("""{"Id":"42","At":"2026-11-21","Customer":"ACME"}""", options: options).ShouldBe("archive/prod/acme/dt=2026-11-21/42.json");
        KeyRun.Key("""{"Id":"42","Customer":"ACME"}""", options: options).ShouldBe("archive/prod/acme/42.json");
    }

    [Fact]
    public void TryWrite_DateLevelsBehindTheId_AreLeftOutWithTheirSlash()
    {
        var options = new ArchiveOptions { Template = "{MessageId}/{At:yyyy_MM/HH.mm.ss}", KeyPrefix = "k/" };

        KeyRun.Key("""{"MessageId":"m","At":"2026-11-21T23:59:58+01:00"}""", options: options).ShouldBe("k/m/2026_11/22.59.58");
        KeyRun.Key("""{"MessageId":"m"}""", options: options).ShouldBe("k/m");
    }

    [Fact]
    public void TryWrite_TwoDatesInOneLevel_NeedBoth()
    {
        var options = new ArchiveOptions { Template = "{From:yyyy}-{To:yyyy}-{Product}/{From:MM}/x/{MessageId}" };

        KeyRun.Key("""{"MessageId":"m","From":"2025-02-03","To":"2026-03-04","Product":"P"}""", options: options).ShouldBe("2025-2026-p/02/x/m");
        KeyRun.Key("""{"MessageId":"m","From":"2025-02-03","Product":"P"}""", options: options).ShouldBe("02/x/m");
        KeyRun.Key("""{"MessageId":"m","To":"2025-02-03","Product":"P"}""", options: options).ShouldBe("x/m");
    }
}
