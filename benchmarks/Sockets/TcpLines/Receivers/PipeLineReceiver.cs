using System.Buffers;
using System.IO.Pipelines;
using System.Net.Sockets;
using Quayside.Messaging.Sockets.TcpLines;
using Quayside.Messaging.Sources.Lines;
using Quayside.Pipeline.Buffers;

namespace Benchmarks.Sockets.TcpLines.Receivers;

/// <summary>The worker's reading alone: a pipe filled as the source fills it, split by its splitter; lines are counted and dropped.</summary>
internal sealed class PipeLineReceiver : ListeningReceiver
{
    private readonly LineSplitter _splitter = new(new BufferPool(), 64 << 10);

    protected override async Task ReadAsync(Socket socket)
    {
        Pipe pipe = new(LineConnection.Pipes);
        Task filling = LineConnection.FillAsync(new NetworkStream(socket), pipe.Writer, CancellationToken.None);
        while (true)
        {
            ReadResult result = await pipe.Reader.ReadAsync();
            Count(LinesIn(result.Buffer));
            pipe.Reader.AdvanceTo(result.Buffer.End);
            if (result.IsCompleted)
            {
                await filling;
                return;
            }
        }
    }

    private int LinesIn(ReadOnlySequence<byte> bytes)
    {
        int lines = 0;
        foreach (ReadOnlyMemory<byte> segment in bytes)
        {
            ReadOnlySpan<byte> rest = segment.Span;
            while (!rest.IsEmpty)
            {
                if (_splitter.Next(ref rest, out _) == LineKind.Line)
                {
                    lines++;
                }
            }
        }

        return lines;
    }
}
