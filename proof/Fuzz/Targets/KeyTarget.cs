
using System.Text;
using Quayside.Messaging.Archive.Headers;
using Quayside.Pipeline.Buffers;
using Quayside.Messaging.Archive.ObjectKeys;
using Messaging.Tests.Archive.Headers;
using Messaging.Tests.Archive.ObjectKeys;

namespace Proof.Fuzz.Targets;

/// <summary>
/// Body to object key, beside the tests' reader and key, which use strings and regular expressions. Keys from nested values, which those do not
/// know: a stricter validation of the body accepts fewer bodies and writes the same keys.
/// </summary>
internal sealed class KeyTarget : FuzzTarget
{
    private static readonly ArchiveOptions Options = new() { Template = "{Product}/{EventDateUtc:yyyy/MM/dd/HH}/{MessageId}.json" };

    private static readonly ArchiveOptions NestedOptions = new()
    {
        Template = "{at:epoch:yyyy/MM/dd}/{ms:epochms:HH}/{a.b:encode}/{list[1].c:keep}/{list[0]:lower}/{n:number}/{MessageId}",
        MessageIdProperty = "a.id",
    };

    private readonly KeyTemplate _template;
    private readonly KeyTemplate _nested;
    private readonly ArchiveHeaderReader[] _rules;
    private readonly ArchiveHeaderReader _full;
    private readonly BufferPool _buffers = new();
    private readonly ArchiveHeader _header;

    public KeyTarget()
    {
        FuzzException.ThrowUnless(KeyTemplate.TryCompile(Options, out KeyTemplate? template, out _), "The template does not compile");
        _template = template!;
        FuzzException.ThrowUnless(KeyTemplate.TryCompile(NestedOptions, out template, out _), "The template of nested values does not compile");
        _nested = template!;
        _rules = [.. new[] { BodyValidation.Full, BodyValidation.HeaderOnly }.Select(rule => _nested.CreateReader(rule))];
        _full = _template.CreateReader(BodyValidation.Full);
        _header = new ArchiveHeader(_buffers);
    }

    public override IReadOnlyList<byte[]> Corpus { get; } =
    [
        .. Texts.Utf8(
            "{\"Product\":\"My Shop\",\"EventDateUtc\":\"2026-11-01T10:20:30Z\",\"MessageId\":\"m-1\"}",
            "{\"x\":{\"Product\":1},\"Pro\\u0064uct\":\"caf\\u00e9\",\"EventDateUtc\":\"2026-02-29\",\"MessageId\":\"a/b=c.\"}",
            "{\"EventDateUtc\":\"2026-11-01 23:59:59.123+05:30\",\"MessageId\":\"\",\"Product\":null,\"list\":[{},[],\"\\ud83d\\ude00\"]}",
            "\uFEFF{\"EventDateUtc\":\"0001-01-01T00:00:00\",\"Product\":\"\\ud800\"}", "{}",
            "{\"a\":{\"id\":\"m\",\"b\":\"../x\"},\"list\":[\"One\",{\"c\":\"k\"},[2]],\"n\":-1.5e3,\"at\":1792000000,\"ms\":1792000000123}",
            $"{{\"MessageId\":\"{new string('i', 130)}\",\"Product\":\"{new string('P', 130)}"
                + $"\",\"EventDateUtc\":\"0001-01-01T00:30:00+01:00\",\"a\":{{\"id\":\"{new string('\u00e9', 70)}\"}}}}",
            $"{{\"x\":{string.Concat(Enumerable.Repeat("{\"x\":", 65))}1{new string('}', 66)}", $"{{\"x\":{new string('[', 65)}{new string(']', 65)}}}",
            "{\"EventDateUtc\":\"20261101T102030,5 +0200\",\"MessageId\":\"m\"}", "{\"EventDateUtc\":\"Sun, 1 Nov 2026 10:20:30 GMT\",\"MessageId\":\"m\"}",
            "{\"EventDateUtc\":\"2026/11/01 10:20:30.5 UTC\",\"MessageId\":\"m\"}",
            "{\"at\":-1.5,\"ms\":\"0\",\"n\":true,\"a\":{\"b\":\"unknown\",\"id\":\"x\"},\"list\":[]}"),
    ];

    public override IReadOnlyList<byte[]> Dictionary { get; } =
    [
        .. Texts.Json, .. Texts.Utf8(
            "\"Product\":", "\"EventDateUtc\":", "\"MessageId\":", "\"Produc\\u0074\":", "\"x\"", ",", "2026-11-01", "T10:20:30", "Z", "+05:30", "-0800",
            ".123456789", "0001-01-01T00:00:00",
            "9999-12-31T23:59:59Z", "../", "%2e", "=41", "==", "A", new string('x', 130),
            "\"a\":{", "\"A\":{", "\"id\":\"m\"", "\"b\":\"", "\"c\":\".\"", "\"list\":[", "\"n\":1", "\"at\":", "\"ms\":", "1792000000", "253402300800",
            "-62135596801", "1792000000123.5", "9999999999999999999"),
    ];

    public override int Run(ReadOnlyMemory<byte> input)
    {
        byte[] body = input.ToArray();
        byte[] sourceId = body.Length % 5 == 0 ? [] : BitConverter.GetBytes(Hash(body));
        int full = Compare(input, body, sourceId);
        string?[] keys = Array.ConvertAll(_rules, rule => NestedKey(input, rule));
        FuzzException.ThrowIfDifferent(keys[1], keys[0] ?? keys[1], "key of a body that Full accepts");
        // A malformed body costs an exception each time.
        uint hash = Hash(body);
        if (hash % 50 < _nested.Properties.Length)
        {
            FuzzException.ThrowUnless(
                PropertyNameHint.Find(input, _nested.Properties[(int)(hash % 50)].Path)?.Any(char.IsControl) != true,
                "A hint that is not printable");
        }

        FuzzException.ThrowIfDifferent(_buffers.Outstanding, 0, "buffers that were not returned");
        return HashCode.Combine(full, Array.FindIndex(keys, key => key is not null));
    }

    private string? NestedKey(ReadOnlyMemory<byte> input, ArchiveHeaderReader reader)
    {
        using PooledBuffer key = _buffers.Rent(_nested.LongestKeyBytes);
        bool isRead = reader.TryRead(input, _header, out _) && _nested.TryWrite(_header, "source"u8, key, out _);
        _header.Reset();
        return isRead ? Encoding.Latin1.GetString(key.WrittenSpan) : null;
    }

    private int Compare(ReadOnlyMemory<byte> input, byte[] body, byte[] sourceId)
    {
        Dictionary<string, string?>? expected = ReferenceReader.Read(body);
        bool isRead = _full.TryRead(input, _header, out Poison poison);
        FuzzException.ThrowIfDifferent(isRead, expected is not null, $"readable ({poison})");
        FuzzException.ThrowUnless(isRead || poison.Position <= body.Length, $"Poison at {poison.Position} of {body.Length} bytes");
        if (isRead)
        {
            using PooledBuffer key = _buffers.Rent(_template.LongestKeyBytes);
            bool isWritten = _template.TryWrite(_header, sourceId, key, out poison);
            FuzzException.ThrowIfDifferent(_template.NeedsSourceId(_header), string.IsNullOrEmpty(expected!.GetValueOrDefault("MessageId")), "needs an id");
            bool hasId = sourceId.Length > 0 || !string.IsNullOrEmpty(expected!.GetValueOrDefault("MessageId"));
            FuzzException.ThrowIfDifferent(isWritten, hasId, $"has a key ({poison})");
            if (isWritten)
            {
                FuzzException.ThrowIfDifferent(Encoding.Latin1.GetString(key.WrittenSpan), ReferenceKey.Of(Options, expected!, sourceId), "key");
                FuzzException.ThrowUnless(key.Length <= _template.LongestKeyBytes, "The key is longer than the longest");
            }
        }

        _header.Reset();
        return HashCode.Combine(isRead, poison.Reason, expected?.Count, Scale(poison.Position));
    }
}
