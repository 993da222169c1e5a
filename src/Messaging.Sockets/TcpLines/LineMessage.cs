using Quayside.Messaging.Sources.InMemory;
using Quayside.Pipeline.Buffers;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Sockets.TcpLines;

/// <summary>A message received as a line. With acknowledgements, its connection reports the settlement to the sender.</summary>
internal sealed class LineMessage(InMemoryMessages<LineMessage> inMemory) : InMemoryMessage
{
    private LineConnection? _connection;
    private long _number;

    /// <param name="line">The line without its end.</param>
    /// <param name="connection">The connection that waits for an acknowledgement; null without one.</param>
    /// <param name="number">The line's number on its connection, from 1.</param>
    /// <param name="buffers">The pool of the body's buffer.</param>
    /// <param name="now">The time of receipt.</param>
    public void Open(ReadOnlySpan<byte> line, LineConnection? connection, long number, BufferPool buffers, DateTimeOffset now)
    {
        Fill(line, buffers, now);
        _connection = connection;
        _number = number;
    }

    protected internal override bool Conclude(in Settlement settlement)
    {
        // Once: a dead letter that hangs at the stop may end after the line was answered as returned.
        LineConnection? connection = Interlocked.Exchange(ref _connection, null);
        return connection is not null && connection.Acknowledge(_number, settlement);
    }

    protected internal override void Clear()
    {
        base.Clear();
        _connection = null;
        _number = 0;
    }

    protected override ValueTask SettleCoreAsync(Settlement settlement, CancellationToken cancellationToken) =>
        inMemory.SettleAsync(this, settlement, cancellationToken);
}
