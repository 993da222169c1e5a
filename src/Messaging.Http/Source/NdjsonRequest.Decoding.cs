using System.Buffers;
using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.Http.Source;

/// <content>Bodies with a Content-Encoding.</content>
internal sealed partial class NdjsonRequest
{
    private const int DecodedPieceBytes = 64 << 10;

    // The body as it was received.
    private PooledBuffer? _encoded;

    /// <summary>Keeps the encoded body until it is whole, then decodes it in pieces.</summary>
    private async ValueTask<HttpRefusal?> TakeEncodedAsync(ReadOnlySequence<byte> data, bool isLast)
    {
        _encoded ??= _source.Buffers.Rent();
        if (_encoded.Length + data.Length > _source.Options.MaxRequestBytes)
        {
            return StopAt(1, TooLarge(_source.Options));
        }

        foreach (ReadOnlyMemory<byte> segment in data)
        {
            _encoded.Append(segment.Span);
        }

        if (!Hold())
        {
            return StopAt(1, HttpRefusal.Memory);
        }

        if (!isLast || _encoded.Length == 0)
        {
            return null;
        }

        byte[] piece = ArrayPool<byte>.Shared.Rent(DecodedPieceBytes);
        try
        {
            using DecodedBody decoded = new(_coding!, _encoded);
            int read;
            do
            {
                read = decoded.Read(piece);
                if (read == 0 && !decoded.IsWhole())
                {
                    return StopAt(LineNumber + 1, ContentCoding.Damaged);
                }

                if (await TakeAsync(new ReadOnlySequence<byte>(piece, 0, read), isLast: read == 0) is { } end)
                {
                    return end;
                }
            }
            while (read > 0);
            return null;
        }
        catch (InvalidDataException)
        {
            return StopAt(LineNumber + 1, ContentCoding.Damaged);
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(piece);
        }
    }
}
