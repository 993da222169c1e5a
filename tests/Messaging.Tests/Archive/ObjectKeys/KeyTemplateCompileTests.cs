using System.Collections.Immutable;
using Quayside.Messaging.Archive.ObjectKeys;

namespace Messaging.Tests.Archive.ObjectKeys;

public sealed class KeyTemplateCompileTests
{
    private static readonly string SevenParts = string.Concat(Enumerable.Range(1, 7).Select(i => "{P" + i + "}/"));

    public static TheoryData<string, int, string> BadTemplates => new()
    {
        { "", 1, "empty" },
        { "a/b.json", 1, "no {MessageId}" },
        { "{Product}/x.json", 1, "no {MessageId}" },
        { "{Product/{MessageId}", 1, "opening brace" },
        { "{MessageId", 1, "opening brace" },
        { "{", 1, "opening brace" },
        { "{Product}}/{MessageId}", 10, "closing brace" },
        { "}{MessageId}", 1, "closing brace" },
        { "{{Product}}/{MessageId}", 1, "opening brace" },
        { "{}/{MessageId}", 2, "empty name" },
        { "{:yyyy}/{MessageId}", 2, "empty name" },
        { "{ Product}/{MessageId}", 2, "blank before or after" },
        { "{Product }/{MessageId}", 2, "blank before or after" },
        { "{Pro\u0001duct}/{MessageId}", 5, "U+0001 in a name" },
        { "{Pro\uD800duct}/{MessageId}", 5, "U+FFFD in a name" },
        { "{D:}/{MessageId}", 4, "no date field" },
        { "{D:-}/{MessageId}", 5, "no date field" },
        { "{D:yyyy//MM}/{MessageId}", 9, "no date field" },
        { "{D:/yyyy}/{MessageId}", 4, "no date field" },
        { "{D:yyyy/}/{MessageId}", 9, "no date field" },
        { "{D:yyyy/../MM}/{MessageId}", 11, "no date field" },
        { "{D:yyy}/{MessageId}", 4, "unknown date field 'yyy'" },
        { "{D:yyyy/M}/{MessageId}", 9, "unknown date field 'M'" },
        { "{D:yyyy-mmm}/{MessageId}", 9, "unknown date field 'mmm'" },
        { "{D:hh}/{MessageId}", 4, "unknown date field 'hh'" },
        { "{D:yyyy:MM}/{MessageId}", 8, "character ':'" },
        { "{D:yyyy MM}/{MessageId}", 8, "character ' '" },
        { "{D:yyyy\u00E9}/{MessageId}", 8, "U+00E9" },
        { "{MessageId:yyyy}", 11, "date format" },
        { "{MessageId}/{MessageId}", 13, "twice" },
        { "{Product}-{MessageId}", 1, "in the level of the id" },
        { "{MessageId}{D:yyyy}", 15, "in the level of the id" },
        { "{D:yyyy}/{MessageId}/{D:MM}", 22, "both sides" },
        { "/{MessageId}", 1, "slash at the start" },
        { "{MessageId}/", 13, "slash at the end" },
        { "a//{MessageId}", 3, "two slashes" },
        { "./{MessageId}", 1, "dot segment" },
        { "a/../{MessageId}", 3, "dot segment" },
        { "{MessageId}/..", 13, "dot segment" },
        { "a b/{MessageId}", 2, "character that is not allowed in a key ' '" },
        { "a\\b/{MessageId}", 2, "'\\'" },
        { "a%2e/{MessageId}", 2, "'%'" },
        { "a\u0000/{MessageId}", 2, "U+0000" },
        { "a\u007F/{MessageId}", 2, "U+007F" },
        { "\u00E9/{MessageId}", 1, "U+00E9" },
        { "\uD83D\uDE00/{MessageId}", 1, "U+D83D" },
        { new string('a', 896) + "/{MessageId}", 1, "1025 bytes" },
        { SevenParts + "{MessageId}", 1, "1031 bytes" },
        { "{" + new string('n', 129) + "}/{MessageId}", 2, "name too long" },
        { "{tenant.}/{MessageId}", 9, "empty name" },
        { "{.id}/{MessageId}", 2, "'.' where a name belongs" },
        { "{tenant..id}/{MessageId}", 9, "'.' where a name belongs" },
        { "{tenant. id}/{MessageId}", 9, "blank before or after" },
        { "{[0].id}/{MessageId}", 2, "an index at the start" },
        { "{a[]}/{MessageId}", 3, "an invalid index" },
        { "{a[-1]}/{MessageId}", 3, "an invalid index" },
        { "{a[10000]}/{MessageId}", 3, "an invalid index" },
        { "{a[0}/{MessageId}", 3, "an invalid index" },
        { "{a[0]b}/{MessageId}", 6, "'b' where a dot belongs" },
        { "{a]}/{MessageId}", 3, "']' where a dot belongs" },
        { "{\"a}/{MessageId}", 1, "opening brace" },
        { "{\"a\"b}/{MessageId}", 5, "'b' where a dot belongs" },
        { "{\"a\\n\"}/{MessageId}", 5, "unknown escape" },
        { "{\"a\u0001\"}/{MessageId}", 4, "U+0001 in a name" },
        { "{" + string.Join('.', Enumerable.Repeat("a", 65)) + "}/{MessageId}", 2, "a path of 65 steps" },
        { "{Product:keeep}/{MessageId}", 10, "unknown rule 'keeep'" },
        { "{Product:Keep}/{MessageId}", 10, "unknown rule 'Keep'" },
        { "{Product:keep:lower}/{MessageId}", 15, "the limit 'lower'" },
        { "{Product:keep:39}/{MessageId}", 15, "the limit '39'" },
        { "{Product:129}/{MessageId}", 10, "the limit '129'" },
        { "{Product:encode:}/{MessageId}", 17, "the limit ''" },
        { "{at:epoch}/{MessageId}", 10, "no date format after epoch" },
        { "{at:epoch:}/{MessageId}", 11, "no date field" },
        { "{at:epochms:yy}/{MessageId}", 13, "unknown date field 'yy'" },
        { "{MessageId:keep}", 11, "date format or a rule" },
        { "{tenant}/{tenant.id}/{MessageId}", 10, "tenant.id needs an object at tenant, and tenant needs a value" },
        { "{a.b}/{a[0]}/{MessageId}", 7, "a[0] needs an array at a, and a.b needs an object" },
        { "{a.b.c}/{a.b}/{MessageId}", 9, "a.b needs a value at a.b, and a.b.c needs an object" },
        { "{MessageId.x}/{MessageId}", 1, "MessageId.x needs an object at MessageId, and MessageId needs a value" },
        { "{a}/{a:number}/{MessageId}", 5, "a is used as a number and as a string" },
        { "{a:number}/{a:yyyy}/{MessageId}", 15, "a is used as a number and as a string" },
        { "{a:epoch:yyyy}/{a:yyyy}/{MessageId}", 19, "dates of two kinds" },
        { "{a:epoch:yyyy}/{a:epochms:yyyy}/{MessageId}", 27, "dates of two kinds" },
        { "{a:epochus:yyyy}/{a:epochns:yyyy}/{MessageId}", 29, "dates of two kinds" },
    };

    public static TheoryData<string, int, string> BadPrefixes => new()
    {
        { "/", 1, "slash at the start" },
        { "/a", 1, "slash at the start" },
        { "a//", 3, "slash at the end" },
        { "a//b", 3, "two slashes" },
        { "..", 1, "dot segment" },
        { "a/./b", 3, "dot segment" },
        { "{Product}", 1, "'{'" },
        { "a\n", 2, "U+000A" },
    };

    [Theory]
    [MemberData(nameof(BadTemplates))]
    public void TryCompile_BadTemplate_SaysWhereAndWhat(string template, int position, string problem) =>
        Errors(new ArchiveOptions { Template = template })
            .ShouldContain(e => e.Setting == "Template" && e.Position == position && e.Problem.Contains(problem) && e.Allowed.Length > 0);

    [Theory]
    [MemberData(nameof(BadPrefixes))]
    public void TryCompile_BadPrefix_SaysWhereAndWhat(string prefix, int position, string problem) =>
        Errors(new ArchiveOptions { KeyPrefix = prefix })
            .ShouldContain(e => e.Setting == "KeyPrefix" && e.Position == position && e.Problem.Contains(problem));

    [Theory]
    [InlineData("", "empty name")]
    [InlineData(" Id", "blank before or after")]
    [InlineData("I\td", "U+0009")]
    [InlineData("event.", "empty name")]
    [InlineData("id:keep", "a rule for the id")]
    [InlineData("id:", "a rule for the id")]
    [InlineData("a{b", "where a dot belongs")]
    public void TryCompile_BadMessageIdProperty_SaysWhat(string name, string problem) =>
        Errors(new ArchiveOptions { MessageIdProperty = name }).ShouldContain(e => e.Setting == "MessageIdProperty" && e.Problem.Contains(problem));

    [Fact]
    public void TryCompile_SeveralErrors_ReportsAll()
    {
        var options = new ArchiveOptions { Template = "/A{Product}//{}/{D:yy}/../{MessageId", KeyPrefix = "/x", MessageIdProperty = "" };

        Errors(options).Select(e => e.ToString().Split(". Allowed")[0]).ShouldBe(
        [
            "MessageIdProperty, character 1: empty name",
            "Template, character 15: empty name",
            "Template, character 20: unknown date field 'yy'",
            "Template, character 27: opening brace without a closing one",
            "KeyPrefix, character 1: slash at the start",
            "Template, character 1: slash at the start",
            "Template, character 13: two slashes in a row",
            "Template, character 24: dot segment",
        ],
        ignoreOrder: true);
    }

    [Fact]
    public void TryCompile_EveryTemplateOfThreePieces_NeverThrows()
    {
        string[] pieces = [
            "", "{a.b}", "{a[0]}", "{\"", "{a:keep}", "{a:epoch:yyyy}", ".tmp", "/", "{", "}", "{}", ":", ".", "..", "a", "A", "{MessageId}", "{P}", "{D:yyyy}",
            "{D:yyyy/MM}", "{D:x}", "{MessageId:yyyy}", "\u0000", "\uDC00"];
        foreach (string text in from a in pieces from b in pieces from c in pieces select a + b + c)
        {
            bool compiled = KeyTemplate.TryCompile(new ArchiveOptions { Template = text }, out KeyTemplate? template, out var errors);
            compiled.ShouldBe(errors.IsEmpty);
            (template is not null).ShouldBe(compiled);
            errors.Any(e => e.Position < 1 || e.Position > text.Length + 1).ShouldBeFalse(text);
        }
    }

    [Theory]
    [InlineData("a/.tmp/{MessageId}")]
    [InlineData("{Product:keep}/.t{Product}/{MessageId}")]
    [InlineData("{a.b}/{a.c[0].d}/{a.c[0].e:yyyy}/{a.c[1]}/{\"a.b\"}/{\"q\\\"\\\\{}\"}/{MessageId}")]
    [InlineData("{a}/{a:keep}/{a:yyyy}/{MessageId}")]
    [InlineData("{a:number}/{a:epoch:yyyy}/{MessageId}")]
    [InlineData("{a.MessageId}/{MessageId}")]
    public void TryCompile_GoodTemplate_Compiles(string template) => KeyRun.Compile(new ArchiveOptions { Template = template });

    [Theory]
    [InlineData(".tmp/{MessageId}", true)]
    [InlineData(".{Product}/{MessageId}", true)]
    [InlineData(".t{Product}/{MessageId}", true)]
    [InlineData(".{Product}mp/{MessageId}", true)]
    [InlineData(".tmpx/{MessageId}", false)]
    [InlineData(".tmp{Product}/{MessageId}", false)]
    [InlineData(".x{Product}/{MessageId}", false)]
    [InlineData("{Product:keep}/.tmp/{MessageId}", false)]
    public void CanBe_FolderOfUnfinishedFiles_IsKnownOfTheFirstLevel(string template, bool expected)
    {
        KeyTemplateCompiler.TryRead(new ArchiveOptions { Template = template }, out ImmutableArray<KeyLevel> levels, out _, out _).ShouldBeTrue();

        levels[0].CanBe(".tmp").ShouldBe(expected);
    }

    [Fact]
    public void TryCompile_PathOfTheId_IsTheId() =>
        KeyRun.Compile(new ArchiveOptions { Template = "{event.kind}/{event.id}.json", MessageIdProperty = "event.\"id\":number" })
            .Properties.Select(p => $"{p.Name}:{p.Use}").ShouldBe(["event.kind:Text", "event.id:Number"]);

    [Fact]
    public void TryCompile_Default_NeedsFivePropertiesAndKnowsItsLimits()
    {
        KeyTemplate template = KeyRun.Compile();

        template.Properties
            .Select(p => $"{p.Name}:{p.Use}")
            .ShouldBe(["Product:Text", "SiteKey:Text", "EventName:Text", "EventDateUtc:Date", "MessageId:Text"]);
        template.LongestKeyBytes.ShouldBe((3 * 128) + 128 + "////".Length + "yyyy/MM/dd/HH".Length + ".json".Length);
        template.LongestLevelBytes.ShouldBe(128 + ".json".Length);
    }

    [Fact]
    public void TryCompile_SameNameForSeveralUses_SharesOneSlot() =>
        KeyRun.Compile(new ArchiveOptions { Template = "{At}/{At:yyyy}/{At:MM}/{Id}/{At2}", MessageIdProperty = "Id" })
            .Properties.Select(p => $"{p.Name}:{p.Use}").ShouldBe(["At:Text, Date", "Id:Text", "At2:Text"]);

    [Fact]
    public void TryWrite_LongestTemplateAndValues_StaysWithinTheLimit()
    {
        string template = string.Concat(Enumerable.Range(1, 6).Select(i => "{P" + i + "}/")) + "{MessageId}." + new string('x', 121);
        KeyTemplate compiled = KeyRun.Compile(new ArchiveOptions { Template = template });
        var properties = compiled.Properties.ToDictionary(p => p.Name, p => (string?)new string('a', 128), StringComparer.Ordinal);

        string key = KeyRun.Run(KeyRun.Body(properties), [], compiled).Key.ShouldNotBeNull();

        compiled.LongestKeyBytes.ShouldBe(1_024);
        key.Length.ShouldBe(1_024);
        key.ShouldBeConfined();
    }

    private static ImmutableArray<KeyTemplateError> Errors(ArchiveOptions options)
    {
        KeyTemplate.TryCompile(options, out KeyTemplate? template, out ImmutableArray<KeyTemplateError> errors).ShouldBeFalse();
        template.ShouldBeNull();
        errors.ShouldNotBeEmpty();
        return errors;
    }
}
