using Quayside.Messaging.Sources.Lines;
using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.Sockets.TcpLines;

/// <summary>
/// Splits a stream of bytes into messages that each follow their length in digits and a space (RFC 6587, section 3.4.1). CR and LF before the digits are
/// skipped, as many senders end their messages with LF and do not count it. Copies only messages that arrive in several pieces, and takes memory as their
/// bytes arrive, whatever length they announce. Allocates nothing per message. Threads: one at a time.
/// </summary>
/// <param name="buffers">The pool for the buffer of a message in several pieces.</param>
/// <param name="maxBytes">The maximum length of a message.</param>
internal sealed class LengthSplitter(BufferPool buffers, int maxBytes) : IDisposable
{
    /// <summary>The longest message that is skipped; a longer one is no length but another framing. It is the highest limit that can be configured.</summary>
    public const int LongestSkipped = 256 << 20;

    // The digits of LongestSkipped, and one byte that is none.
    private const int LongestDigits = 9;

    private const int PartialCapacity = 1_024;

    private readonly byte[] _prefix = new byte[LongestDigits + 1];
    private int _prefixLength;

    // The message's bytes from earlier pieces, at most maxBytes; null without any.
    private PooledBuffer? _carried;
    private bool _carriedWasRead;
    private long _length;
    private long _left;
    private bool _isInMessage;

    /// <summary>The number of the last message found, from 1; empty, too long and broken ones count.</summary>
    public long Number { get; private set; }

    /// <summary>The announced length of the last message found; of an unfinished or broken one its bytes so far.</summary>
    public long Bytes { get; private set; }

    /// <summary>True while a message is unfinished.</summary>
    public bool HasPartial => !IsBroken && (_isInMessage || _prefixLength > 0);

    /// <summary>True once a length was none; nothing after it can be read.</summary>
    public bool IsBroken { get; private set; }

    /// <summary>Finds the next message and removes its bytes from the front of <paramref name="data"/>.</summary>
    /// <param name="data">The next bytes of the stream; empty when the result is <see cref="LineKind.None"/> and it is not broken.</param>
    /// <param name="message">The message; of one that is too long its beginning, of a broken length its bytes. Valid until the next call, and while the data is
    /// valid.</param>
    public LineKind Next(scoped ref ReadOnlySpan<byte> data, out ReadOnlySpan<byte> message)
    {
        if (_carriedWasRead)
        {
            Dispose();
        }

        message = default;
        if (!_isInMessage && !TryReadLength(ref data))
        {
            message = IsBroken ? _prefix.AsSpan(0, _prefixLength) : default;
            return LineKind.None;
        }

        int count = (int)Math.Min(_left, data.Length);
        ReadOnlySpan<byte> piece = data[..count];
        data = data[count..];
        _left -= count;
        if (_left == 0 && _carried is null && _length <= maxBytes)
        {
            message = piece;
            return EndMessage(_length);
        }

        Carry(piece);
        return _left > 0 ? LineKind.None : EndCarried(_length, out message);
    }

    /// <summary>Ends the stream within a message or its length.</summary>
    /// <param name="message">The bytes of the unfinished message, as far as they are kept; without any those of its length.</param>
    /// <returns>TooLong, or Line for a message that would not have been too long; None when nothing is unfinished.</returns>
    public LineKind End(out ReadOnlySpan<byte> message)
    {
        message = default;
        if (!HasPartial)
        {
            return LineKind.None;
        }

        LineKind kind = _length > maxBytes && _isInMessage ? LineKind.TooLong : LineKind.Line;
        ReadOnlySpan<byte> prefix = _prefix.AsSpan(0, _prefixLength);
        EndCarried(_isInMessage && _left < _length ? _length - _left : _prefixLength, out message);
        message = message.IsEmpty ? prefix : message;
        return kind;
    }

    public void Dispose()
    {
        _carried?.Dispose();
        _carried = null;
        _carriedWasRead = false;
    }

    private bool TryReadLength(scoped ref ReadOnlySpan<byte> data)
    {
        while (!data.IsEmpty && !IsBroken)
        {
            byte next = data[0];
            data = data[1..];
            if (_prefixLength == 0 && next is (byte)'\r' or (byte)'\n')
            {
                continue;
            }

            _prefix[_prefixLength++] = next;
            if (TryEndDigits(next))
            {
                return true;
            }
        }

        return false;
    }

    private bool TryEndDigits(byte next)
    {
        if (next == ' ' && _prefixLength > 1)
        {
            return BeginMessage();
        }

        // RFC 6587: MSG-LEN has no leading zero.
        int digit = next - '0';
        if (digit is < 0 or > 9 || (digit == 0 && _prefixLength == 1) || _prefixLength > LongestDigits)
        {
            return Break();
        }

        _length = (_length * 10) + digit;
        return false;
    }

    private bool BeginMessage()
    {
        if (_length > LongestSkipped)
        {
            return Break();
        }

        _left = _length;
        _isInMessage = true;
        return true;
    }

    private bool Break()
    {
        IsBroken = true;
        Number++;
        Bytes = _prefixLength;
        return false;
    }

    private LineKind EndMessage(long bytes)
    {
        Number++;
        Bytes = bytes;
        LineKind kind = _length > maxBytes ? LineKind.TooLong : _length == 0 ? LineKind.Blank : LineKind.Line;
        _isInMessage = false;
        _prefixLength = 0;
        _length = 0;
        return kind;
    }

    private LineKind EndCarried(long bytes, out ReadOnlySpan<byte> message)
    {
        message = _carried is null ? default : _carried.WrittenSpan;
        _carriedWasRead = _carried is not null;
        return EndMessage(bytes);
    }

    private void Carry(ReadOnlySpan<byte> piece)
    {
        ReadOnlySpan<byte> kept = piece[..Math.Min(piece.Length, maxBytes - (_carried?.Length ?? 0))];
        if (!kept.IsEmpty)
        {
            _carried ??= buffers.Rent(Math.Max(kept.Length, PartialCapacity));
            _carried.Append(kept);
        }
    }
}
