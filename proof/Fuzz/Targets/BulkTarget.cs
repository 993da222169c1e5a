using System.Text;
using System.Text.Json;
using Quayside.Messaging.Elasticsearch.BulkResponses;

namespace Proof.Fuzz.Targets;

/// <summary>Elasticsearch's bulk responses, read in windows of every size, beside <see cref="JsonDocument"/>.</summary>
internal sealed class BulkTarget : FuzzTarget
{
    private readonly BulkResponseParser _parser = new();

    public override IReadOnlyList<byte[]> Corpus { get; } =
    [
        .. Texts.Utf8(
            "{\"took\":3,\"errors\":true,\"items\":[{\"create\":{\"_id\":\"a\",\"status\":201}},{\"create\":{\"_id\":\"b\",\"status\":409,"
                + "\"error\":{\"type\":\"version_conflict_engine_exception\",\"reason\":\"x \\u00e9\"}}}]}",
            "{\"errors\":false,\"took\":1,\"items\":[{\"create\":{\"_id\":\"a\",\"status\":201}},{\"create\":{\"_id\":\"b\",\"status\":200}}]}",
            "{\"items\":[{\"index\":{\"status\":429,\"error\":\"es_rejected_execution_exception\"}}],\"errors\":true}", "{\"items\":[]}",
            "{\"errors\":true,\"items\":[{\"create\":{\"_id\":\"a\",\"status\":201,\"failure_store\":\"used\"}}]}",
            "{\"error\":{\"type\":\"x\"},\"status\":503}"),
    ];

    public override IReadOnlyList<byte[]> Dictionary { get; } =
        [.. Texts.Json,
            .. Texts.Utf8(
                "\"errors\":true,", "\"errors\":false,", "\"items\":[", "{\"create\":{", "\"status\":201", "\"status\":429,", "\"failure_store\":\"used\",",
                "\"_id\":\"a\",", "\"error\":{\"type\":\"t\",\"reason\":\"r\"}", "\"error\":null,", "\"reason\":\"" + new string('r', 300) + "\",", "}},{")];

    public override int Run(ReadOnlyMemory<byte> input)
    {
        Seen whole = Read(input.Span, int.MaxValue);
        Seen cut = Read(input.Span, 1 + (int)(Hash(input.Span) % 23));
        FuzzException.ThrowIfDifferent(cut.ToString(), whole.ToString(), "in windows");
        if (!whole.IsShortened)
        {
            FuzzException.ThrowIfDifferent(whole.ToString(), Expect(input), "answer");
        }

        return HashCode.Combine(whole.Parsing, whole.IsShortened, Scale(whole.Items), whole.Failures.Count, whole.Errors);
    }

    private Seen Read(ReadOnlySpan<byte> response, int window)
    {
        BulkResponseParser parser = _parser;
        parser.Reset();
        Seen seen = new();
        int done = 0;
        int end = 0;
        do
        {
            end = (int)Math.Min(response.Length, (long)end + window);
            seen.Parsing = parser.Read(response[done..end], isEnd: end == response.Length, seen, out int consumed);
            done += consumed;
        }
        while (end < response.Length && seen.Parsing == BulkParsing.NeedsMore);

        seen.Items = parser.Items;
        seen.Errors = parser.Errors;
        seen.IsShortened = parser.IsShortened;
        return seen;
    }

    private static string Expect(ReadOnlyMemory<byte> input)
    {
        Seen malformed = new() { Parsing = BulkParsing.Malformed };
        using JsonDocument? document = Texts.Parse(input);
        if (document is null || document.RootElement.ValueKind != JsonValueKind.Object)
        {
            return malformed.ToString();
        }

        Seen seen = new() { Parsing = BulkParsing.Complete };
        bool hasItems = false;
        foreach (JsonProperty member in document.RootElement.EnumerateObject())
        {
            if (Texts.IsName(member, "errors"))
            {
                if (seen.Errors is not null || member.Value.ValueKind is not (JsonValueKind.True or JsonValueKind.False))
                {
                    return malformed.ToString();
                }

                seen.Errors = member.Value.GetBoolean();
            }
            else if (Texts.IsName(member, "items"))
            {
                if (hasItems || member.Value.ValueKind != JsonValueKind.Array || !member.Value.EnumerateArray().All(item => Take(item, seen)))
                {
                    return malformed.ToString();
                }

                hasItems = true;
            }
        }

        return (hasItems ? seen : malformed).ToString();
    }

    private static bool Take(JsonElement item, Seen seen)
    {
        if (item.ValueKind != JsonValueKind.Object
            || item.EnumerateObject().Count() != 1
            || item.EnumerateObject().Single().Value is not { ValueKind: JsonValueKind.Object } action)
        {
            return false;
        }

        // Empty texts count as absent, so a second one is not a repetition.
        int status = 0;
        string id = string.Empty;
        JsonElement? error = null;
        bool isSetAside = false;
        foreach (JsonProperty member in action.EnumerateObject())
        {
            if (Texts.IsName(member, "status"))
            {
                if (status != 0 || member.Value.ValueKind != JsonValueKind.Number || !member.Value.TryGetInt32(out status) || status is < 100 or > 599)
                {
                    return false;
                }
            }
            else if (Texts.IsName(member, "_id"))
            {
                if (!Take(member.Value, ref id))
                {
                    return false;
                }
            }
            else if (Texts.IsName(member, "failure_store"))
            {
                isSetAside |= member.Value.ValueKind == JsonValueKind.String && Texts.Unescape(member.Value).AsSpan().SequenceEqual("used"u8);
            }
            else if (Texts.IsName(member, "error"))
            {
                if (error is not null)
                {
                    return false;
                }

                error = member.Value;
            }
        }

        if (status == 0 || !TakeError(error, out string type, out string reason))
        {
            return false;
        }

        if (status >= 300 || error is not null || isSetAside)
        {
            seen.Failures.Add($"{seen.Items} {status} {error is not null} {isSetAside} {id} {type} {reason}");
        }

        seen.Items++;
        return true;
    }

    private static bool TakeError(JsonElement? error, out string type, out string reason)
    {
        type = string.Empty;
        reason = string.Empty;
        if (error is not { } value)
        {
            return true;
        }

        if (value.ValueKind != JsonValueKind.Object)
        {
            return Take(value, ref reason);
        }

        foreach (JsonProperty member in value.EnumerateObject())
        {
            if ((Texts.IsName(member, "type") && !Take(member.Value, ref type)) || (Texts.IsName(member, "reason") && !Take(member.Value, ref reason)))
            {
                return false;
            }
        }

        return true;
    }

    private static bool Take(JsonElement value, ref string text)
    {
        bool isFirst = text.Length == 0;
        text = value.ValueKind == JsonValueKind.String ? Encoding.Latin1.GetString(System.Runtime.InteropServices.JsonMarshal.GetRawUtf8Value(value)) : text;
        return isFirst;
    }

    private sealed class Seen : IBulkItems
    {
        public BulkParsing Parsing { get; set; }

        public bool IsShortened { get; set; }

        public int Items { get; set; }

        public bool? Errors { get; set; }

        public List<string> Failures { get; } = [];

        public void Failed(in BulkItem item)
        {
            FuzzException.ThrowUnless(
                !item.IsType("unknown"u8) && !item.IsId("unknown"u8) && item.ReadType().Length + item.ReadReason().Length <= 2 * BulkItem.MaxText,
                "Texts of an item");
            item.ReadId();
            Failures.Add(
                $"{item.Index} {item.Status} {item.HasError} {item.IsSetAside} {Encoding.Latin1.GetString(item.Id)} {Encoding.Latin1.GetString(item.Type)} "
                    + $"{Encoding.Latin1.GetString(item.Reason)}");
        }

        // What a malformed response holds before its fault does not count.
        public override string ToString() => Parsing == BulkParsing.Complete ? $"{Items} {Errors} {string.Join('\n', Failures)}" : "malformed";
    }
}
