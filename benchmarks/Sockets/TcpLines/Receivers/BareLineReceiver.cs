using System.Net.Sockets;

namespace Benchmarks.Sockets.TcpLines.Receivers;

/// <summary>The limit: an awaited receive into one buffer, and a search for the line ends; no line is assembled.</summary>
internal sealed class BareLineReceiver : ListeningReceiver
{
    protected override async Task ReadAsync(Socket socket)
    {
        byte[] buffer = new byte[64 << 10];
        int length;
        while ((length = await socket.ReceiveAsync(buffer.AsMemory(), SocketFlags.None)) > 0)
        {
            Count(LinesIn(buffer.AsSpan(0, length)));
        }
    }

    private static int LinesIn(ReadOnlySpan<byte> rest)
    {
        int lines = 0;
        for (int end; (end = rest.IndexOf((byte)'\n')) >= 0; rest = rest[(end + 1)..])
        {
            lines++;
        }

        return lines;
    }
}
