using System.Net.Sockets;

namespace Benchmarks.Sockets.TcpLines.Receivers;

/// <summary>The code that one writes first: a StreamReader.</summary>
internal sealed class StreamReaderReceiver : ListeningReceiver
{
    protected override async Task ReadAsync(Socket socket)
    {
        using StreamReader reader = new(new NetworkStream(socket));
        while (await reader.ReadLineAsync() is not null)
        {
            Count(1);
        }
    }
}
