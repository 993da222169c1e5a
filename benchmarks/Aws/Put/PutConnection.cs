using System.Net.Sockets;
using System.Security.Cryptography;
using System.Text;
using Benchmarks.Aws.Wire;

namespace Benchmarks.Aws.Put;

/// <summary>
/// One connection of the server: a thread that blocks, one buffer, nothing allocated per request. Reads a whole PUT, answers 200 with the
/// MD5 of the object as its ETag.
/// </summary>
/// <param name="socket">The connection.</param>
/// <param name="stored">Called with the path and the bytes of each object; null when they are measured.</param>
/// <param name="status">Of the answer.</param>
internal sealed class PutConnection(Socket socket, Action<string, byte[]>? stored, string status)
{
    private const int LargestRequest = 256 * 1024;
    private const int HexLength = MD5.HashSizeInBytes * 2;

    private readonly byte[] _buffer = new byte[LargestRequest];

    // As Amazon's answer to a PUT, except x-amz-id-2: a fifth header would cost every client over HttpClient 330 to 370 bytes more.
    private readonly byte[] _answer =
    [
        .. Encoding.ASCII.GetBytes($"HTTP/1.1 {status}\r\n"),
        .. "x-amz-request-id: 0A49CE4060975EAC\r\nDate: Sat, 21 Nov 2026 12:00:00 GMT\r\nETag: \""u8,
        .. new byte[HexLength],
        .. "\"\r\nServer: AmazonS3\r\nContent-Length: 0\r\n\r\n"u8,
    ];

    private int _filled;

    /// <summary>Serves until the client disconnects or sends a request that is not a PUT.</summary>
    public void Serve()
    {
        socket.NoDelay = true;
        int etag = _answer.AsSpan().IndexOf("ETag: \""u8) + "ETag: \""u8.Length;
        while (TryReceive(out int headLength))
        {
            int requestLength = 0;
            if (!RequestHead.TryParse(_buffer.AsSpan(0, headLength), out RequestHead head)
                || !head.Method.SequenceEqual("PUT"u8)
                || (requestLength = headLength + "\r\n\r\n"u8.Length + head.BodyLength) > LargestRequest)
            {
                Refuse("400 Bad Request"u8);
                return;
            }

            if (!TryReceiveBody(requestLength, head.ExpectsContinue))
            {
                return;
            }

            Span<byte> body = _buffer.AsSpan(requestLength - head.BodyLength, head.BodyLength);
            int length = head.IsChunked ? AwsChunks.Decode(body) : body.Length;
            if (length != head.DecodedLength)
            {
                Refuse("400 Bad Request"u8);
                return;
            }

            stored?.Invoke(Encoding.ASCII.GetString(head.Path), body[..length].ToArray());
            WriteHash(body[..length], _answer.AsSpan(etag, HexLength));
            socket.Send(_answer);
            _buffer.AsSpan(requestLength, _filled - requestLength).CopyTo(_buffer);
            _filled -= requestLength;
        }
    }

    private static void WriteHash(ReadOnlySpan<byte> body, Span<byte> hex)
    {
        Span<byte> hash = stackalloc byte[MD5.HashSizeInBytes];
        MD5.HashData(body, hash);
        Convert.TryToHexStringLower(hash, hex, out _);
    }

    /// <param name="headLength">Without the blank line.</param>
    private bool TryReceive(out int headLength)
    {
        while ((headLength = _buffer.AsSpan(0, _filled).IndexOf("\r\n\r\n"u8)) < 0)
        {
            if (_filled == _buffer.Length || !TryFill())
            {
                return false;
            }
        }

        return true;
    }

    private bool TryReceiveBody(int requestLength, bool expectsContinue)
    {
        if (expectsContinue && _filled < requestLength)
        {
            socket.Send("HTTP/1.1 100 Continue\r\n\r\n"u8);
        }

        while (_filled < requestLength)
        {
            if (!TryFill())
            {
                return false;
            }
        }

        return true;
    }

    private bool TryFill()
    {
        int read = socket.Receive(_buffer.AsSpan(_filled));
        _filled += read;
        return read > 0;
    }

    private void Refuse(ReadOnlySpan<byte> status)
    {
        socket.Send([.. "HTTP/1.1 "u8, .. status, .. "\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"u8]);
    }
}
