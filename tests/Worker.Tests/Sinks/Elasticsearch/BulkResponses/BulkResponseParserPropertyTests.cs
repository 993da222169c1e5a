using System.Globalization;
using FsCheck;
using FsCheck.Fluent;
using static Worker.Tests.Sinks.Elasticsearch.BulkResponses.BulkResponses;

namespace Worker.Tests.Sinks.Elasticsearch.BulkResponses;

/// <summary>The parser against <see cref="ReferenceBulkReader"/> on random responses, whole, damaged and cut in random places.</summary>
public sealed class BulkResponseParserPropertyTests
{
    private static readonly Config Runs = Config.QuickThrowOnFailure.WithMaxTest(3_000);

    private static readonly Gen<string> Blank = Gen.Frequency((8, Gen.Constant("")), (1, Gen.Elements(" ", "\n", "\t\r\n ")));

    private static readonly Gen<string> Text = Gen.Elements("", "x", "0f8fad5b-d9cb", "a\\\"b", "\\u0041\\ud83d\\ude00", "é€", "\\\\", "status", "\\\"status\\\":", "{[,:]}");

    private static readonly Gen<string> Value = Gen.OneOf(
        Text.Select(text => $"\"{text}\""),
        Gen.Elements("0", "-1.5", "1e9", "true", "false", "null", "[]", "{}", """{"status":500,"error":{"type":"no"}}""", """[{"_id":"no"},[1,2]]"""));

    private static readonly Gen<string> Name = Gen.Elements("_index", "_version", "result", "_shards", "_seq_no", "x", "");

    private static readonly Gen<string> Other =
        from name in Name
        from value in Value
        select $"\"{name}\":{value}";

    private static readonly Gen<string> Error = Gen.OneOf(
        from type in Text
        from reason in Gen.OneOf(Text.Select(text => $"\"{text}\""), Gen.Constant("null"))
        from other in Other
        from order in Gen.Shuffle((string[])[$"\"type\":\"{type}\"", $"\"reason\":{reason}", other])
        select $"{{{string.Join(',', order)}}}",
        Text.Select(text => $"\"{text}\""),
        Gen.Constant("{}"));

    private static readonly Gen<string> Status = Gen.Frequency(
        (60, Gen.Elements(200, 201, 404, 409, 429, 400, 500, 503, 599, 100).Select(status => status.ToString(CultureInfo.InvariantCulture))),
        (1, Gen.Elements("99", "600", "\"201\"", "null", "2.01e2", "-1", "0")));

    private static readonly Gen<string> Item =
        from action in Gen.Elements("create", "index", "update", "delete", "new")
        from id in Text
        from status in Status
        from error in Gen.Frequency((2, Gen.Constant<string?>(null)), (1, Error.Select(text => (string?)text)))
        from others in Other.ListOf(2)
        from members in Gen.Shuffle((string[])[$"\"_id\":\"{id}\"", $"\"status\":{status}", .. error is null ? Array.Empty<string>() : [$"\"error\":{error}"], .. others])
        from a in Blank
        from b in Blank
        select $"{{{a}\"{action}\"{b}:{a}{{{string.Join($"{b},{a}", members)}{b}}}{a}}}";

    private static readonly Gen<byte[]> Response =
        from items in Gen.Sized(size => Item.ListOf(size % 12))
        from errors in Gen.Frequency((4, Gen.Constant("true")), (2, Gen.Constant("false")), (1, Gen.Elements("null", "1")))
        from others in Other.ListOf(2)
        from a in Blank
        from members in Gen.Shuffle((string[])[$"\"errors\":{errors}", $"\"items\":[{a}{string.Join(',', items)}{a}]", .. others])
        select Bytes($"{a}{{{string.Join(',', members)}{a}}}{a}");

    [Fact]
    public void Read_RandomResponse_EqualsTheReference() => Check.One(Runs, Prop.ForAll(Arb.From(Cuts(Response)), Agrees));

    [Fact]
    public void Read_RandomResponseDamaged_EqualsTheReference() => Check.One(Runs, Prop.ForAll(Arb.From(Cuts(Damaged())), Agrees));

    private static bool Agrees((byte[] Response, int[] Cuts) input)
    {
        ReadResponse read = RecordedItems.Read(input.Response, input.Cuts);

        // What follows "errors":false is not parsed, so that nothing can be said of it: only what the bytes hold is counted.
        return read.IsShortened || read.Equals(ReferenceBulkReader.Read(input.Response));
    }

    private static Gen<(byte[] Response, int[] Cuts)> Cuts(Gen<byte[]> responses) =>
        from response in responses
        from cuts in Gen.Choose(0, response.Length).ListOf(3)
        select (response, cuts.Order().ToArray());

    private static Gen<byte[]> Damaged() =>
        from response in Response.Where(response => !response.Any(b => b > 127))
        from at in Gen.Choose(0, response.Length - 1)
        from damage in Gen.Choose(0, 2)
        from other in Gen.Elements((byte)'{', (byte)'}', (byte)'[', (byte)']', (byte)'"', (byte)',', (byte)':', (byte)'\\', (byte)'0', (byte)' ', (byte)'x', (byte)0)
        select (byte[])(damage switch
        {
            0 => [.. response[..at], .. response[(at + 1)..]],
            1 => [.. response[..at], other, .. response[at..]],
            _ => [.. response[..at], other, .. response[(at + 1)..]],
        });
}
