using Messaging.Sources.Held;
using Pipeline.Buffers;
using Pipeline.Settlements;

namespace Messaging.Sockets.TcpLines;

/// <summary>A message that came as a line. Its connection is told what became of it, where acknowledgements are on.</summary>
internal sealed class LineMessage(HeldMessages<LineMessage> held) : HeldMessage
{
    private LineConnection? _connection;
    private long _number;

    /// <summary>Fills a clean message.</summary>
    /// <param name="line">The line without its end.</param>
    /// <param name="connection">The connection that waits for an acknowledgement; null when none does.</param>
    /// <param name="number">The line's number on its connection, from 1.</param>
    /// <param name="buffers">Where the body's buffer comes from.</param>
    /// <param name="now">When it came.</param>
    public void Open(ReadOnlySpan<byte> line, LineConnection? connection, long number, BufferPool buffers, DateTimeOffset now)
    {
        Fill(line, buffers, now);
        _connection = connection;
        _number = number;
    }

    protected override bool Conclude(in Settlement settlement)
    {
        LineConnection? connection = _connection;
        _connection = null;
        return connection is not null && connection.Acknowledge(_number, settlement);
    }

    protected override void Clear()
    {
        base.Clear();
        _connection = null;
        _number = 0;
    }

    protected override ValueTask SettleCoreAsync(Settlement settlement, CancellationToken cancellationToken) =>
        held.SettleAsync(this, settlement, cancellationToken);
}
