using System.Net;
using System.Net.Sockets;

namespace Benchmarks.Sockets.TcpLines;

/// <summary>Sends the same lines repeatedly, many per call; reads and drops the answers.</summary>
internal sealed class LineSender : IDisposable
{
    /// <summary>A line with its end: the size of the generated messages.</summary>
    public const int LineBytes = 300;

    // Not a multiple of what a receiver reads per call, so that lines are cut at every position.
    private const int LinesPerCall = 437;

    private readonly byte[] _lines = new byte[LinesPerCall * LineBytes];
    private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);

    public LineSender(int port)
    {
        for (int i = 0; i < _lines.Length; i++)
        {
            _lines[i] = (byte)(i % LineBytes == LineBytes - 1 ? '\n' : 'a' + (i % 26));
        }

        _socket.Connect(IPAddress.Loopback, port);
        new Thread(DropAnswers) { IsBackground = true }.Start();
    }

    /// <returns>Lines sent.</returns>
    public int Send()
    {
        for (int sent = 0; sent < _lines.Length;)
        {
            sent += _socket.Send(_lines.AsSpan(sent));
        }

        return LinesPerCall;
    }

    public void Dispose() => _socket.Dispose();

    private void DropAnswers()
    {
        byte[] answers = new byte[64 << 10];
        try
        {
            while (_socket.Receive(answers) > 0)
            {
            }
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            // Reset by the receiver, or disposed: no more answers either way.
        }
    }
}
