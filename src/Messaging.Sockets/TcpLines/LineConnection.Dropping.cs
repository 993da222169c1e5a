using System.Buffers;
using Quayside.Messaging.Sources.Lines;

namespace Quayside.Messaging.Sockets.TcpLines;

/// <content>What is no message: connections of another protocol, and lines that are dropped.</content>
internal sealed partial class LineConnection
{
    private readonly byte[] _prefix = new byte[ForeignProtocol.PrefixLength];
    private int _prefixLength;
    private bool _isFirstLine = true;
    private bool _firstLineHasLf;

    // What was dropped and not yet reported.
    private readonly List<DroppedLine> _dropped = [];

    // Why the connection ends as one of another protocol.
    private string? _foreign;

    /// <summary>True once nothing more can be read: the connection began as another protocol's, or a length was none.</summary>
    private bool IsUnreadable => _foreign is not null || _splitter.IsBroken;

    private ReadOnlySpan<byte> Prefix => _prefix.AsSpan(0, _prefixLength);

    private void KeepPrefix(in ReadOnlySequence<byte> bytes)
    {
        int length = (int)Math.Min(_prefix.Length - _prefixLength, bytes.Length);
        if (length > 0)
        {
            bytes.Slice(0, length).CopyTo(_prefix.AsSpan(_prefixLength));
            _prefixLength += length;
        }

        // Only for the advice about a first line that is dropped; other connections find their first line in their first bytes.
        if (_splitter.Number == 0)
        {
            _firstLineHasLf |= bytes.FirstSpan.Contains((byte)'\n');
        }
    }

    private void RecognizeBeginning()
    {
        if (_isFirstLine)
        {
            _foreign = ForeignProtocol.Recognize(_options.Framing, Prefix);
        }
    }

    /// <summary>True when the connection begins as another protocol's; none of its lines becomes a message.</summary>
    private bool IsForeign(LineKind kind, ReadOnlySpan<byte> line)
    {
        if (_isFirstLine && kind is LineKind.Line or LineKind.TooLong)
        {
            _isFirstLine = false;
            _foreign = ForeignProtocol.Recognize(Prefix, line, isWhole: kind == LineKind.Line);
        }

        return _foreign is not null;
    }

    private void EndForeign()
    {
        _source.Foreign(this, _foreign!);
        Abort(_foreign!);
    }

    /// <summary>Notes a line to be dropped, for <see cref="ReportDroppedAsync"/>.</summary>
    private void Drop(string reason, ReadOnlySpan<byte> bytes, long length) => _dropped.Add(new DroppedLine(
        _splitter.Number,
        reason,
        length,
        bytes.ToArray(),
        FramingAdvice.For(_options.Framing, reason, _splitter.Number, Prefix, _firstLineHasLf)));

    private void DropBroken(ReadOnlySpan<byte> length, ReadOnlySequence<byte> rest) =>
        Drop(LineAnswers.BadFrame, [.. length, .. rest.Slice(0, Math.Min(rest.Length, _options.MaxLineBytes)).ToArray()], length.Length + rest.Length);

    private async ValueTask ReportDroppedAsync()
    {
        foreach (DroppedLine dropped in _dropped)
        {
            // Without an answer the sender keeps what it sent.
            bool isAnswered = _answers is not null && !_end.IsCancellationRequested && !ReferenceEquals(_endOfStream, CloseReason.Reset);
            await _source.DropAsync(this, dropped, isAnswered);
            _answers?.Add(dropped.Line, dropped.Reason);
        }

        _dropped.Clear();
    }
}
