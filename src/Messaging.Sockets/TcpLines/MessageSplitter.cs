using System.Buffers;
using Quayside.Messaging.Sources.Lines;
using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.Sockets.TcpLines;

/// <summary>
/// Splits the bytes of a connection into messages, as <see cref="TcpLinesSourceOptions.Framing"/> says. A message that is too long is returned by its
/// beginning. Allocates nothing per message. Threads: one at a time.
/// </summary>
internal sealed class MessageSplitter : IDisposable
{
    // One of the two.
    private readonly LineSplitter? _lines;
    private readonly LengthSplitter? _lengths;

    public MessageSplitter(Framing framing, int maxBytes, BufferPool buffers)
    {
        if (framing == Framing.OctetCounting)
        {
            _lengths = new LengthSplitter(buffers, maxBytes);
        }
        else
        {
            _lines = new LineSplitter(buffers, maxBytes, framing == Framing.CrLf ? LineEnd.CrLf : LineEnd.Lf, keepsTooLong: true);
        }
    }

    /// <summary>The number of the last message found, from 1; blank, too long and broken ones count.</summary>
    public long Number => _lines is null ? _lengths!.Number : _lines.LineNumber;

    /// <summary>Bytes of the last message found, those beyond the limit included.</summary>
    public long Bytes => _lines is null ? _lengths!.Bytes : _lines.LineBytes;

    /// <summary>True while a message is unfinished.</summary>
    public bool HasPartial => _lines is null ? _lengths!.HasPartial : _lines.HasPartial;

    /// <summary>True once a length was none; nothing after it can be read.</summary>
    public bool IsBroken => _lengths is { IsBroken: true };

    /// <summary>Finds the next message and removes its bytes from the front of <paramref name="data"/>.</summary>
    /// <param name="data">The next bytes of the connection.</param>
    /// <param name="message">The message, or its beginning. Valid until the next call, and while the data is valid.</param>
    public LineKind Next(scoped ref ReadOnlySpan<byte> data, out ReadOnlySpan<byte> message) =>
        _lines is null ? _lengths!.Next(ref data, out message) : _lines.Next(ref data, out message);

    /// <summary>As the other overload, for bytes in several pieces.</summary>
    public LineKind Next(scoped ref ReadOnlySequence<byte> data, out ReadOnlySpan<byte> message)
    {
        SequenceReader<byte> reader = new(data);
        message = default;
        LineKind kind = LineKind.None;
        while (!reader.End && kind == LineKind.None && !IsBroken)
        {
            ReadOnlySpan<byte> piece = reader.UnreadSpan;
            int length = piece.Length;
            kind = Next(ref piece, out message);
            reader.Advance(length - piece.Length);
        }

        data = reader.UnreadSequence;
        return kind;
    }

    /// <summary>Ends the connection within a message.</summary>
    /// <param name="message">What is kept of it.</param>
    /// <returns>None when nothing is unfinished.</returns>
    public LineKind End(out ReadOnlySpan<byte> message) => _lines is null ? _lengths!.End(out message) : _lines.End(out message);

    public void Dispose()
    {
        _lines?.Dispose();
        _lengths?.Dispose();
    }
}

/// <summary>How a connection tells where a message ends.</summary>
internal enum Framing
{
    /// <summary>LF, or CR LF, after each message.</summary>
    Lf = 0,

    /// <summary>CR LF after each message, which may contain CR and LF alone.</summary>
    CrLf,

    /// <summary>The length in digits and a space before each message (RFC 6587, octet counting).</summary>
    OctetCounting,
}
