using System.Text;
using Quayside.Messaging.Envelopes.Encoding;

namespace Proof.Fuzz.Targets;

/// <summary>Base64 beside Convert; every input, as base64 in every form, is itself again.</summary>
internal sealed class Base64Target : FuzzTarget
{
    private readonly Base64Envelope _envelope = new();

    public override IReadOnlyList<byte[]> Corpus { get; } = [.. Texts.Utf8("e30=", "_-8", "+/8=", "e3 0\r\n=", "", "====", "AAAA", "AA==", "AAA")];

    public override IReadOnlyList<byte[]> Dictionary { get; } = [.. Texts.Utf8("=", "==", "-", "_", "+", "/", "\r\n", " ", "\t", "AAAA"), [0xFF], [0]];

    public override int Run(ReadOnlyMemory<byte> input)
    {
        Unwrapped result = Unwrapped.By(_envelope, input);
        if (result.IsAccepted)
        {
            FuzzException.ThrowUnless(
                Twin(Encoding.Latin1.GetString(input.Span)).AsSpan().SequenceEqual(result.Content), "the content is not what Convert reads");
        }

        if (!input.IsEmpty)
        {
            byte[] bytes = input.ToArray();
            string standard = Convert.ToBase64String(bytes);
            string url = standard.Replace('+', '-').Replace('/', '_');
            foreach (string text in (string[])[
                standard, Convert.ToBase64String(bytes, Base64FormattingOptions.InsertLineBreaks), url, url.TrimEnd('='), $" {standard}\n"])
            {
                Unwrapped.CheckRoundTrip(text, _envelope, Encoding.ASCII.GetBytes(text), bytes);
            }
        }

        return HashCode.Combine(result.Refusal, Scale(result.Content.Length));
    }

    private static byte[] Twin(string text)
    {
        string plain = string.Concat(text.Where(static c => c is not (' ' or '\t' or '\r' or '\n')));
        if (!plain.Contains('+', StringComparison.Ordinal) && !plain.Contains('/', StringComparison.Ordinal))
        {
            plain = plain.Replace('-', '+').Replace('_', '/').TrimEnd('=');
            plain = plain.PadRight((plain.Length + 3) / 4 * 4, '=');
        }

        return Convert.FromBase64String(plain);
    }
}
