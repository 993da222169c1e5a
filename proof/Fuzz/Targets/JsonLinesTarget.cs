using System.Text;
using Quayside.Messaging.Envelopes.Splitting;

namespace Proof.Fuzz.Targets;

/// <summary>Lines of JSON beside lines split as strings; their elements, as lines again, are the same elements.</summary>
internal sealed class JsonLinesTarget : FuzzTarget
{
    private readonly JsonLinesEnvelope _envelope = new();

    public override IReadOnlyList<byte[]> Corpus { get; } =
        [.. Texts.Utf8("{\"a\":1}\n{\"b\":2}\r\n", "{}\n[]\n", "\uFEFF1\n\n 2 \n", "", " \t\r\n", string.Concat(Enumerable.Repeat("1\n", 101)))];

    public override IReadOnlyList<byte[]> Dictionary { get; } = [.. Texts.Utf8("\n", "\r\n", " ", "\t", "{}", "\uFEFF")];

    public override int Run(ReadOnlyMemory<byte> input)
    {
        Unwrapped result = Unwrapped.By(_envelope, input);
        string text = Encoding.Latin1.GetString(input.Span);
        string[] expected =
        [
            .. (text.StartsWith("\u00EF\u00BB\u00BF", StringComparison.Ordinal) ? text[3..] : text).Split('\n')
                .Select(static line => line.Trim(' ', '\t', '\r')).Where(static line => line.Length > 0),
        ];
        string? refusal = expected.Length == 0 ? "no-json-lines" : expected.Length > Unwrapped.MaxElements ? "too-many-elements" : null;
        FuzzException.ThrowIfDifferent(result.Refusal, refusal, "the outcome");
        if (result.IsAccepted)
        {
            FuzzException.ThrowUnless(result.Elements.Select(Encoding.Latin1.GetString).SequenceEqual(expected), "the lines differ");
            byte[] again = [.. result.Elements.SelectMany(static element => (byte[])[(byte)'\n', .. element, (byte)'\r', (byte)'\n'])];
            Unwrapped second = Unwrapped.By(_envelope, again);
            FuzzException.ThrowUnless(
                second.Elements.Count == expected.Length
                    && second.Elements.Zip(result.Elements).All(static pair => pair.First.AsSpan().SequenceEqual(pair.Second)), "unwrap(wrap(x)) is not x");
        }

        return HashCode.Combine(result.Refusal, Scale(result.Elements.Count));
    }
}
