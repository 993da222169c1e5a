using System.Text.Json;
using System.Text.Unicode;
using Pipeline.Buffers;
using Messaging.Archive.Json;

namespace Proof.Fuzz.Targets;

/// <summary>The scanner beside <see cref="Utf8JsonReader"/>: both accept the same texts.</summary>
internal sealed class JsonTarget : FuzzTarget
{
    private readonly JsonNameSet _names = new(new BufferPool());

    public override IReadOnlyList<Type> Parser { get; } = [typeof(JsonScanner), typeof(JsonNameSet), typeof(JsonEscapes)];

    public override IReadOnlyList<byte[]> Corpus { get; } =
    [
        .. Texts.Utf8(
            "{\"a\":1,\"b\":[true,false,null,-0.5e+3],\"c\":{\"d\":\"e\\n\\u00e9\"}}", "[]", "{}", "\"x\"", "0", " null ", "[[[[[[]]]]]]", "{\"\":\"\"}",
            "[1,2.5,3e8,-4E-5,\"é€😀\",\"\\ud83d\\ude00\"]", "{\"a\":{\"a\":{\"a\":[{\"a\":1}]}}}",
            "{\"Product\":\"shop\",\"MessageId\":\"0123456789abcdef0123456789abcdef\",\"EventDateUtc\":\"2026-11-01T10:20:30Z\",\"x\":[1,2,3]}",
            Names(100), Names(600), new string('[', 64) + new string(']', 64), new string('[', 65) + new string(']', 65)),
    ];

    public override IReadOnlyList<byte[]> Dictionary { get; } = [.. Texts.Json];

    public override int Run(ReadOnlyMemory<byte> input)
    {
        ReadOnlySpan<byte> json = input.Span;
        bool isText = Utf8.IsValid(json);
        _names.Clear();
        JsonScanner scanner = new(json, rejectLoneSurrogates: isText, isText ? _names : null);
        int end = scanner.SkipValue(scanner.SkipBlanks(0), depth: 0);
        bool isValid = end >= 0 && scanner.SkipBlanks(end) == json.Length;

        FuzzException.ThrowUnless(end >= 0 || scanner.FailedAt <= json.Length, $"A fault at {scanner.FailedAt} of {json.Length} bytes");
        FuzzException.ThrowIfDifferent(isValid, IsValid(json, isText), $"valid ({scanner.Failure} at {scanner.FailedAt})");
        return HashCode.Combine(scanner.Failure, Scale(scanner.FailedAt), Scale(end));
    }

    // The set of names grows beyond 32 names, and shrinks again after more than 512.
    private static string Names(int count) => $"{{{string.Join(',', Enumerable.Range(0, count).Select(number => $"\"\\u0061{number}\":0"))}}}";

    private static bool IsValid(ReadOnlySpan<byte> json, bool isText)
    {
        Stack<HashSet<string>> open = [];
        Utf8JsonReader reader = new(json, new JsonReaderOptions { MaxDepth = JsonScanner.MaxDepth });
        try
        {
            while (reader.Read())
            {
                switch (reader.TokenType)
                {
                    case JsonTokenType.StartObject when isText:
                        open.Push([]);
                        break;
                    case JsonTokenType.EndObject when isText:
                        open.Pop();
                        break;
                    case JsonTokenType.PropertyName when isText && !open.Peek().Add(reader.GetString()!):
                        return false;
                    case JsonTokenType.String when isText:
                        reader.GetString();
                        break;
                }
            }

            return true;
        }
        catch (Exception exception) when (exception is JsonException or InvalidOperationException)
        {
            // InvalidOperationException: GetString on half a surrogate pair.
            return false;
        }
    }
}
