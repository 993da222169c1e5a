using System.Net.Sockets;
using Benchmarks.Aws.Wire;

namespace Benchmarks.EndToEnd.Server;

/// <summary>Reads the requests of one connection and has them answered, one after the other. It reuses its own buffers.</summary>
internal sealed class ServerConnection(Socket socket, MessageServer server) : IAnswer
{
    private static readonly byte[] Continue = [.. "HTTP/1.1 100 Continue\r\n\r\n"u8];

    private byte[] _input = new byte[8 * 1024];
    private byte[] _output = new byte[32 * 1024];
    private int _filled;
    private int _written;

    public async Task RunAsync()
    {
        using (socket)
        {
            try
            {
                socket.NoDelay = true;
                while (await ServeAsync())
                {
                }
            }
            catch (SocketException)
            {
                // The client disconnected, as it may.
            }
            catch (InvalidDataException exception)
            {
                Console.Error.WriteLine($"server: {exception.Message}");
            }
        }
    }

    public Span<byte> Reserve(int bytes)
    {
        if (_output.Length - _written < bytes)
        {
            Array.Resize(ref _output, Math.Max(_output.Length * 2, _written + bytes));
        }

        return _output.AsSpan(_written);
    }

    public void Advance(int bytes) => _written += bytes;

    public Span<byte> Written => _output.AsSpan(0, _written);

    /// <returns>False when the client has closed.</returns>
    private async ValueTask<bool> ServeAsync()
    {
        int headEnd = await ReadHeadAsync();
        if (headEnd < 0)
        {
            return false;
        }

        (int bodyLength, bool expects) = Measure(headEnd);
        int total = headEnd + 4 + bodyLength;
        if (expects)
        {
            await SendAsync(Continue);
        }

        while (_filled < total)
        {
            if (!await ReadAsync(total))
            {
                return false;
            }
        }

        _written = 0;
        if (!TryHandle(headEnd, bodyLength, mayWait: true, out Task wait))
        {
            await wait;
            TryHandle(headEnd, bodyLength, mayWait: false, out _);
        }

        if (server.PutLatency > TimeSpan.Zero && Head(headEnd).Method.SequenceEqual("PUT"u8))
        {
            await Task.Delay(server.PutLatency);
        }

        await SendAsync(_output.AsMemory(0, _written));
        _input.AsSpan(total, _filled - total).CopyTo(_input);
        _filled -= total;
        return true;
    }

    private (int BodyLength, bool ExpectsContinue) Measure(int headEnd)
    {
        RequestHead head = Head(headEnd);
        return (head.BodyLength, head.ExpectsContinue);
    }

    private RequestHead Head(int headEnd) => RequestHead.TryParse(_input.AsSpan(0, headEnd), out RequestHead head)
        ? head
        : throw new InvalidDataException("not a request that this server understands");

    private bool TryHandle(int headEnd, int bodyLength, bool mayWait, out Task wait) =>
        server.TryHandle(Head(headEnd), _input.AsSpan(headEnd + 4, bodyLength), this, mayWait, out wait);

    private async ValueTask<int> ReadHeadAsync()
    {
        int searched = 0;
        while (true)
        {
            int at = _input.AsSpan(searched, _filled - searched).IndexOf("\r\n\r\n"u8);
            if (at >= 0)
            {
                return searched + at;
            }

            searched = Math.Max(0, _filled - 3);
            if (!await ReadAsync(_filled + 1))
            {
                return -1;
            }
        }
    }

    private async ValueTask<bool> ReadAsync(int needed)
    {
        if (_input.Length < needed)
        {
            Array.Resize(ref _input, Math.Max(_input.Length * 2, needed));
        }

        int read = await socket.ReceiveAsync(_input.AsMemory(_filled), SocketFlags.None);
        _filled += read;
        return read > 0;
    }

    private async ValueTask SendAsync(ReadOnlyMemory<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            bytes = bytes[await socket.SendAsync(bytes, SocketFlags.None)..];
        }
    }
}
