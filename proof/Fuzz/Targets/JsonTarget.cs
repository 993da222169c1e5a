
using System.Text.Json;
using System.Text.Unicode;
using Quayside.Messaging.Json;

namespace Proof.Fuzz.Targets;

/// <summary>The scanner beside <see cref="Utf8JsonReader"/>: both accept the same texts.</summary>
internal sealed class JsonTarget : FuzzTarget
{
    public override IReadOnlyList<byte[]> Corpus { get; } =
    [
        .. Texts.Utf8(
            "{\"a\":1,\"b\":[true,false,null,-0.5e+3],\"c\":{\"d\":\"e\\n\\u00e9\"}}", "[]", "{}", "\"x\"", "0", " null ", "[[[[[[]]]]]]", "{\"\":\"\"}",
            "[1,2.5,3e8,-4E-5,\"é€😀\",\"\\ud83d\\ude00\"]", "{\"a\":{\"a\":{\"a\":[{\"a\":1}]}}}",
            "{\"Product\":\"shop\",\"MessageId\":\"0123456789abcdef0123456789abcdef\",\"EventDateUtc\":\"2026-11-01T10:20:30Z\",\"x\":[1,2,3]}",
            new string('[', 64) + new string(']', 64), new string('[', 65) + new string(']', 65)),
    ];

    public override IReadOnlyList<byte[]> Dictionary { get; } = [.. Texts.Json];

    public override int Run(ReadOnlyMemory<byte> input)
    {
        ReadOnlySpan<byte> json = input.Span;
        bool isText = Utf8.IsValid(json);
        JsonScanner scanner = new(json, rejectLoneSurrogates: isText);
        int end = scanner.SkipValue(scanner.SkipBlanks(0), depth: 0);
        bool isValid = end >= 0 && scanner.SkipBlanks(end) == json.Length;

        FuzzException.ThrowUnless(end >= 0 || scanner.FailedAt <= json.Length, $"A fault at {scanner.FailedAt} of {json.Length} bytes");
        FuzzException.ThrowIfDifferent(isValid, IsValid(json, isText), $"valid ({scanner.Failure} at {scanner.FailedAt})");
        return HashCode.Combine(scanner.Failure, Scale(scanner.FailedAt), Scale(end));
    }

    private static bool IsValid(ReadOnlySpan<byte> json, bool isText)
    {
        Utf8JsonReader reader = new(json, new JsonReaderOptions { MaxDepth = JsonScanner.MaxDepth });
        try
        {
            while (reader.Read())
            {
                if (isText && reader.TokenType is (JsonTokenType.PropertyName or JsonTokenType.String))
                {
                    reader.GetString();
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
