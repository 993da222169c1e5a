using Quayside.Messaging.Elasticsearch.BulkResponses;
using static Messaging.Tests.Elasticsearch.BulkResponses.BulkResponses;

namespace Messaging.Tests.Elasticsearch.BulkResponses;

public sealed class BulkResponseParserTests
{
    private static readonly string[] Actions = ["create", "index", "update", "delete"];

    private static readonly string[] Corpus =
    [
        Of(errors: true, Created("a"), Failed("b", 429, "es_rejected_execution_exception", "full"), Created("c"), Exists("d")),
        Of(errors: false, Created("a"), Created("b")),
        Of(errors: false),
        Of(errors: true),
        Of(errors: true, Actions.Select((action, i) => Failed($"{i}", 400 + i, $"type-{action}", action, action))),
        """{"items":[],"errors":false,"took":1}""",
        $$"""{"items":[{{Created("a")}},{{Rejected("b")}}],"took":1,"errors":true}""",
        $$"""{"items":[{{Created("a")}}]}""",
        $$""" { "new" : [ { "a" : [ null , true , -1.5e3 ] } ] , "errors" : true , "items" : [ {{Created("a")}} , {{Exists("b")}} ] , "z" : "end" } """ + "\n",
        """{"errors":true,"items":[{"create":{"status":500}},{"x":{"status":200,"error":"odd"}},{"index":{"error":null,"status":503}}]}""",
        """{"errors":true,"items":[{"create":{"_id":"a\"b\\c\u0041\ud83d\ude00","status":400,"error":{"type":"t\/x","reason":"\u00e9 \u20ac"}}}]}""",
        """{"errors":true,"items":[{"create":{"_id":7,"status":400,"error":{"type":null,"reason":["x"]}}}]}""",
    ];

    private static readonly string[] Malformed =
    [
        "", " ", "null", "[]", "{}", "{", "<html>504</html>", "\"errors\"",
        """{"took":1,"errors":true}""", """{"items":[]""", """{"items":[]}}""", """{"items":[]} x""",
        """{"items":{}}""", """{"items":null}""", """{"items":[],"items":[]}""", """{"errors":null,"items":[]}""", """{"errors":"true","items":[]}""",
        """{"errors":true,"errors":true,"items":[]}""", """{"items":[],"errors":false,"errors":true}""",
        """{"errors":true,"items":[null]}""", """{"errors":true,"items":[{}]}""", """{"errors":true,"items":[{"create":null}]}""",
        """{"errors":true,"items":[{"create":{}}]}""",
        """{"errors":true,"items":[{"create":{"status":201},"index":{"status":201}}]}""", """{"errors":true,"items":[{"create":{"status":201}},]}""",
        """{"errors":true,"items":[,{"create":{"status":201}}]}""",
        """{"errors":true,"items":[{"create":{"status":201}} {"create":{"status":201}}]}""",
        """{"errors":true,"items":[{"create":{"status":"201"}}]}""", """{"errors":true,"items":[{"create":{"status":201.0}}]}""",
        """{"errors":true,"items":[{"create":{"status":2e2}}]}""",
        """{"errors":true,"items":[{"create":{"status":0}}]}""", """{"errors":true,"items":[{"create":{"status":99}}]}""",
        """{"errors":true,"items":[{"create":{"status":600}}]}""", """{"errors":true,"items":[{"create":{"status":99999999999}}]}""",
        """{"errors":true,"items":[{"create":{"status":-200}}]}""",
        """{"errors":true,"items":[{"create":{"status":201,"status":201}}]}""", """{"errors":true,"items":[{"create":{"_id":"a","_id":"b","status":201}}]}""",
        """{"errors":true,"items":[{"create":{"error":{},"error":{},"status":400}}]}""",
        """{"errors":true,"items":[{"create":{"status":201,}}]}""", """{"errors":true,"items":[{"create":{"status" 201}}]}""", """{"errors":true "items":[]}""",
        """{"errors":true,"items":[]"took":1}""", """{"took":01,"items":[]}""",
        "{\"errors\":true,\"items\":[{\"create\":{\"_id\":\"a\u0001\",\"status\":201}}]}", """{"errors":tru,"items":[]}""", """{"x":"\q","items":[]}""",
        """{"errors":false,"items":[{"create":{"status":201}},""", """{"errors":false,"items":[""",
    ];

    public static TheoryData<string> Whole => [.. Corpus];

    public static TheoryData<string> Wrong => [.. Malformed];

    [Theory]
    [MemberData(nameof(Whole))]
    public void Read_EverySplit_FindsTheSame(string text)
    {
        byte[] response = Bytes(text);
        ReadResponse expected = RecordedItems.Read(response);
        expected.Parsing.ShouldBe(BulkParsing.Complete);

        for (int first = 0; first <= response.Length; first++)
        {
            RecordedItems.Read(response, first).ShouldBe(expected, $"cut at {first}");
        }

        RecordedItems.Read(response, [.. Enumerable.Range(0, response.Length)]).ShouldBe(expected, "byte by byte");
    }

    [Theory]
    [MemberData(nameof(Whole))]
    public void Read_CutOff_IsMalformedAtEveryByte(string text)
    {
        byte[] response = Bytes(text.TrimEnd());
        for (int length = 0; length < response.Length; length++)
        {
            ReadResponse read = RecordedItems.Read(response.AsSpan(0, length));

            // A response cut after an item's brace looks whole; only the number of items shows the cut.
            (read.Parsing == BulkParsing.Malformed || (read.IsShortened && response[length - 1] == '}')).ShouldBeTrue($"cut to {length}: {read}");
        }
    }

    [Theory]
    [MemberData(nameof(Wrong))]
    public void Read_NotABulkResponse_IsMalformedWhereverItIsSplit(string text)
    {
        byte[] response = Bytes(text);
        RecordedItems.Read(response).Parsing.ShouldBe(BulkParsing.Malformed);
        for (int cut = 0; cut <= response.Length; cut++)
        {
            RecordedItems.Read(response, cut).Parsing.ShouldBe(BulkParsing.Malformed, $"cut at {cut}");
        }

        RecordedItems.Read(response, [.. Enumerable.Range(0, response.Length)]).Parsing.ShouldBe(BulkParsing.Malformed, "byte by byte");
    }

    [Fact]
    public void Read_EveryStatus_ReportsTheFailedItems()
    {
        byte[] response =
            Bytes(Of(errors: true, Enumerable.Range(100, 500).Select(status => $$$"""{"create":{"_id":"{{{status}}}","status":{{{status}}}}}""")));

        ReadResponse read = RecordedItems.Read(response);

        read.Items.ShouldBe(500);
        read.Failures.ShouldBe(Enumerable.Range(300, 300).Select(status => new ReadFailure(status - 100, status, $"{status}", "", "")));
    }

    [Fact]
    public void Read_FailedItem_ReportsItsTexts()
    {
        ReadResponse read = RecordedItems.Read(
            Bytes(Of(errors: true, Created("a"), Failed("b-1", 400, "document_parsing_exception", "failed to parse field [bytes] of type [long]"))));

        read.Failures
            .ShouldHaveSingleItem()
            .ShouldBe(new ReadFailure(1, 400, "b-1", "document_parsing_exception", "failed to parse field [bytes] of type [long]"));
    }

    [Theory]
    [InlineData(
        """{"type":"illegal_argument_exception","reason":"data stream timestamp field [@timestamp] is missing"}""",
        "failed to parse: data stream timestamp field [@timestamp] is missing")]
    [InlineData("""{"caused_by":{"reason":"deeper"},"stack_trace":["x"],"reason":"why"}""", "failed to parse: why")]
    [InlineData("""{"type":"null_pointer_exception","reason":null}""", "failed to parse")]
    [InlineData("""{}""", "failed to parse")]
    [InlineData("""null""", "failed to parse")]
    [InlineData("""["x",{"reason":"y"}]""", "failed to parse")]
    public void Read_ReasonIsOnlyInTheCause_IsTakenFromThere(string cause, string reason)
    {
        string item = """{"create":{"_id":"a","status":400,"error":{"type":"mapper_parsing_exception","reason":"failed to parse","caused_by":CAUSE}}}""".Replace("CAUSE", cause, StringComparison.Ordinal);

        RecordedItems.Read(Bytes(Of(errors: true, item, Created("b")))).Failures.ShouldHaveSingleItem().Reason.ShouldBe(reason);
    }

    [Fact]
    public void Read_ItemsOfUnusualShape_ReportsTheirValues()
    {
        ReadResponse read = RecordedItems.Read(Bytes("""
            {"items":[{"create":{"status":500}},{"x":{"status":200,"error":"odd"}},{"index":{"error":null,"status":503,"new":[{"status":1}]}},
            {"create":{"_id":7,"error":{"type":null,"caused_by":{"type":"inner"},"reason":["x"]},"status":400}},
            {"create":{"\u005fid":"a\"b\\c\u0041\ud83d\ude00","status":400,"error":{"type":"t\/x","reason":"\u00e9 \u20ac"}}},{"create":{"status":299}}]}
            """));

        (read.Parsing, read.IsShortened, read.Items, read.Errors).ShouldBe((BulkParsing.Complete, false, 6, null));
        read.Failures.ShouldBe([
            new ReadFailure(0, 500, "", "", ""), new ReadFailure(1, 200, "", "", "odd"), new ReadFailure(2, 503, "", "", ""),
            new ReadFailure(3, 400, "", "", ""),
            new ReadFailure(4, 400, "a\"b\\cA😀", "t/x", "é €")]);
    }

    [Fact]
    public void Read_LongAndUnprintableTexts_AreBoundedAndEscaped()
    {
        ReadResponse read = RecordedItems.Read(
            Bytes(Of(
                errors: true, Failed("a", 400, new string('t', 5_000), string.Concat(Enumerable.Repeat("\\u001b[31m", 100))),
                Failed("b", 400, "\\ud800", "x"))));

        read.Failures[0].Type.Length.ShouldBeLessThanOrEqualTo(BulkItem.MaxText);
        read.Failures[0].Type.ShouldStartWith("tttt");
        read.Failures[0].Reason.Length.ShouldBeLessThanOrEqualTo(BulkItem.MaxText);
        read.Failures[0].Reason.ShouldStartWith("\\u001b[31m");
        read.Failures[1].Type.ShouldBe("\\ud800");
    }

    [Fact]
    public void Read_NamesWithHalfASurrogatePair_AreUnknown()
    {
        ReadResponse read = RecordedItems.Read(
            Bytes("""{"\ud800":1,"errors":true,"items":[{"create":{"\udc00":2,"_id":"a","status":400,"error":{"\ud800":3,"type":"t"}}}]}"""));

        read.Parsing.ShouldBe(BulkParsing.Complete);
        read.Failures.ShouldHaveSingleItem().Type.ShouldBe("t");
    }

    [Fact]
    public void Read_NoErrorsBeforeTheItems_CountsThemWithoutParsing()
    {
        // Texts that look like counted properties: an id and an index may hold any text.
        string tricky = Created("\\\"status\\\":");

        ReadResponse read = RecordedItems.Read(Bytes(Of(errors: false, Enumerable.Repeat(tricky, 50))));

        (read.Parsing, read.IsShortened, read.Items).ShouldBe((BulkParsing.Complete, true, 50));
    }

    [Theory]
    [InlineData("""{"errors":false}""")]
    [InlineData("""{"errors":false,"items":[x]}""")]
    [InlineData("""{"errors":falsee "Status":}""")]
    public void Read_NoErrorsThenInvalidItems_CountsNoItems(string text)
    {
        ReadResponse read = RecordedItems.Read(Bytes(text));

        (read.Parsing, read.IsShortened, read.Items).ShouldBe((BulkParsing.Complete, true, 0));
    }

    [Theory]
    [InlineData(62, true)]
    [InlineData(63, true)]
    [InlineData(64, false)]
    public void Read_Nesting_IsLimitedTo64Levels(int levels, bool fits)
    {
        string text = $$"""{"x":{{new string('[', levels)}}{{new string(']', levels)}},"items":[]}""";

        (RecordedItems.Read(Bytes(text)).Parsing == BulkParsing.Complete).ShouldBe(fits);
    }

    [Fact]
    public void Read_ItemWithoutEnd_IsMalformedAtTheBound()
    {
        byte[] response = Bytes($$$"""{"errors":true,"items":[{"create":{"_id":"{{{new string('x', BulkResponseParser.MaxMemberBytes)}}}""");
        BulkResponseParser parser = new();

        parser.Read(response, isEnd: false, new RecordedItems(), out _).ShouldBe(BulkParsing.Malformed);
    }

    [Fact]
    public void Reset_AfterHalfAResponse_DiscardsIt()
    {
        BulkResponseParser parser = new();
        RecordedItems items = new();
        parser.Read(Bytes("""{"errors":true,"items":[{"create":{"status":400}},"""), isEnd: false, items, out _).ShouldBe(BulkParsing.NeedsMore);

        parser.Reset();
        BulkParsing parsing = parser.Read(Bytes("""{"items":[]}"""), isEnd: true, items, out _);

        (parsing, parser.Items, parser.Errors).ShouldBe((BulkParsing.Complete, 0, (bool?)null));
    }

    [Fact]
    public void Item_Comparisons_AreExact()
    {
        var seen = new List<(bool, bool, bool)>();
        byte[] response = Bytes(Of(errors: true, Exists("doc-1"), """{"create":{"status":400}}"""));
        new BulkResponseParser().Read(response, isEnd: true, new Comparing(seen), out _).ShouldBe(BulkParsing.Complete);

        seen.ShouldBe([(true, true, false), (false, false, false)]);
    }

    private sealed class Comparing(List<(bool Id, bool Type, bool Prefix)> seen) : IBulkItems
    {
        public void Failed(in BulkItem item) =>
            seen.Add((item.IsId("doc-1"u8), item.IsType("version_conflict_engine_exception"u8), item.IsType("version_conflict"u8)));
    }
}
