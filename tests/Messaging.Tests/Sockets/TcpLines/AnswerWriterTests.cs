using Quayside.Messaging.Sockets.TcpLines;
using Quayside.Pipeline.Buffers;

namespace Messaging.Tests.Sockets.TcpLines;

public sealed class AnswerWriterTests
{
    [Fact]
    public async Task Run_SenderReadsSlowly_EachPieceHasItsOwnTime()
    {
        const int Answers = 2_000;
        ManualTimeProvider time = new();
        BufferPool buffers = new(new PoisoningArrayPool());
        await using SenderStream stream = new([], ends: false);
        using AnswerWriter writer = new(stream, buffers, time);
        for (int line = 1; line <= Answers; line++)
        {
            writer.Add(line, reason: null).ShouldBeTrue();
        }

        Task running = writer.RunAsync(CancellationToken.None);
        writer.Complete();
        int total = Enumerable.Range(1, Answers).Sum(line => $"ok {line}\n".Length);
        for (int written = 0; written < total;)
        {
            int piece = await stream.NextWriteAsync();
            piece.ShouldBeLessThanOrEqualTo(4 << 10);
            time.Advance(TimeSpan.FromSeconds(20));
            writer.Blocked.ShouldBe(TimeSpan.FromSeconds(20), "Earlier pieces do not count.");
            stream.EndWrite();
            written += piece;
        }

        await running.WaitAsync(TimeSpan.FromSeconds(60));
        buffers.Outstanding.ShouldBe(0);
    }
}
