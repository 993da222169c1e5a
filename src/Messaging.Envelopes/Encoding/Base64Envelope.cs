using System.Buffers;
using System.Buffers.Text;
using System.Globalization;
using Quayside.Messaging.Unwrapping;

namespace Quayside.Messaging.Envelopes.Encoding;

/// <summary>Base64 (RFC 4648): the standard alphabet or the one for URLs. Whitespace is skipped. Padding may be missing where neither + nor / occurs.</summary>
internal sealed class Base64Envelope : IEnvelope
{
    public const string NotBase64Reason = "not-base64";

    private static readonly SearchValues<byte> Standard = SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/= \t\r\n"u8);
    private static readonly SearchValues<byte> Url = SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_= \t\r\n"u8);

    /// <summary>True for gzip in base64: any word is base64, but this begins like nothing else.</summary>
    public static bool IsMarked(ReadOnlyMemory<byte> body) =>
        body.Span.StartsWith("H4sI"u8) && Base64.IsValid(body.Span);

    public ValueTask UnwrapAsync(EnvelopeReading message, CancellationToken cancellationToken)
    {
        Unwrap(message);
        return default;
    }

    private static void Unwrap(EnvelopeReading message)
    {
        ReadOnlySpan<byte> body = message.Body.Span;
        Span<byte> decoded = message.Buffer.GetSpan(Base64.GetMaxDecodedFromUtf8Length(body.Length) + 3);
        bool isUrl = !body.ContainsAny((byte)'+', (byte)'/');
        OperationStatus status = isUrl
            ? Base64Url.DecodeFromUtf8(body, decoded, out _, out int written)
            : Base64.DecodeFromUtf8(body, decoded, out _, out written);

        // The runtime takes % for padding in the alphabet for URLs.
        if (status == OperationStatus.Done && written > 0 && !(isUrl && body.Contains((byte)'%')))
        {
            message.Buffer.Advance(written);
            message.SetContent(message.Buffer.WrittenMemory);
            return;
        }

        int foreign = body.IndexOfAnyExcept(isUrl ? Url : Standard);
        message.RefuseUnrecognized(
            NotBase64Reason,
            string.Create(
                CultureInfo.InvariantCulture,
                $"The body is not base64: "
                    + $"{(body.IsEmpty ? "it is empty" : foreign < 0 ? "its length or its end does not fit" : $"byte {foreign} is not of its alphabet")}."));
    }
}
