using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;
using Quayside.Messaging.Json;
using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.Archive.Headers;

/// <summary>
/// The values that a key consists of, as locations in one message's body. Reused: one per message in flight, best as part of a
/// pooled context. Ownership: <see cref="ArchiveHeaderReader.TryRead"/> makes it borrow the body until <see cref="Reset"/>, so
/// reset it before the body is returned to its pool. Values with escapes are unescaped into a buffer that <see cref="Reset"/>
/// returns. Threads: one at a time. 0 bytes allocated per message once warm.
/// </summary>
internal sealed class ArchiveHeader(BufferPool? buffers = null)
{
    private readonly BufferPool _buffers = buffers ?? BufferPool.Shared;
    private HeaderValue[] _values = [];
    private int _count;
    private ReadOnlyMemory<byte> _body;
    private PooledBuffer? _unescaped;

    /// <summary>
    /// Number of slots: the reader's properties, in its order, then one for each object or array on their paths. 0 before the first read and after
    /// <see cref="Reset"/>.
    /// </summary>
    public int Count => _count;

    /// <summary>The value as text.</summary>
    /// <param name="slot">Index of the property in the reader's list.</param>
    /// <returns>UTF-8, unescaped; a number or boolean unchanged; empty when the property is missing, null or the empty string. A borrow until
    /// <see cref="Reset"/>.</returns>
    public ReadOnlySpan<byte> Text(int slot)
    {
        ref readonly HeaderValue value = ref _values.AsSpan(0, _count)[slot];
        ReadOnlySpan<byte> bytes = value.Unescaped ? _unescaped!.WrittenSpan : _body.Span;
        return bytes.Slice(value.Start, value.Length);
    }

    /// <summary>The value as a date in UTC.</summary>
    /// <param name="slot">Index of a property whose use is a date.</param>
    /// <returns>No date when the property is missing, null, the empty string or .NET's <c>default(DateTime)</c>.</returns>
    public HeaderDate Date(int slot) => _values.AsSpan(0, _count)[slot].Date;

    /// <summary>True when the value is used as a date and is none, and the reader leaves out such dates.</summary>
    /// <param name="slot">Index of the property in the reader's list.</param>
    public bool IsBadDate(int slot) => _values.AsSpan(0, _count)[slot].IsBadDate;

    /// <summary>
    /// Index in the body of the value's first byte; 0 when it is missing or null, <see cref="Poison.OutsideBody"/> when it is not in the body.
    /// </summary>
    /// <param name="slot">Index of the property in the reader's list.</param>
    public int Position(int slot) => _values.AsSpan(0, _count)[slot].Position;

    /// <summary>The body that was read; a borrow until <see cref="Reset"/>.</summary>
    public ReadOnlyMemory<byte> Body => _body;

    /// <summary>Ends the borrow of the body and returns the buffer of unescaped bytes.</summary>
    public void Reset()
    {
        _values.AsSpan(0, _count).Clear();
        _count = 0;
        _body = default;
        Refusal = null;
        Refused = null;
        Missing = 0;
        _unescaped?.Dispose();
        _unescaped = null;
    }

    /// <summary>Why the reader refuses a body that may be valid JSON.</summary>
    internal string? Refusal { get; set; }

    /// <summary>The used location where the reader detected a fault; null when the fault is elsewhere.</summary>
    internal HeaderNode? Refused { get; set; }

    /// <summary>Number of properties that may still follow.</summary>
    internal int Missing { get; set; }

    internal void Begin(ReadOnlyMemory<byte> body, int count)
    {
        Reset();
        if (_values.Length < count)
        {
            _values = new HeaderValue[count];
        }

        _count = count;
        _body = body;
    }

    internal ref HeaderValue Slot(int slot) => ref _values[slot];

    /// <summary>Sets a value that is not in the body.</summary>
    internal ReadOnlySpan<byte> SetText(int slot, string text)
    {
        _unescaped ??= _buffers.Rent();
        Span<byte> destination = _unescaped.GetSpan(Encoding.UTF8.GetMaxByteCount(text.Length));
        return Append(slot, Encoding.UTF8.GetBytes(text, destination));
    }

    /// <inheritdoc cref="SetText(int, string)"/>
    internal ReadOnlySpan<byte> SetText(int slot, ReadOnlySpan<byte> text)
    {
        _unescaped ??= _buffers.Rent();
        text.CopyTo(_unescaped.GetSpan(text.Length));
        return Append(slot, text.Length);
    }

    /// <summary>Sets a date that is not in the body, and its text.</summary>
    internal void SetDate(int slot, DateTime utc)
    {
        const int Length = 20;
        _unescaped ??= _buffers.Rent();
        utc.TryFormat(_unescaped.GetSpan(Length), out int written, "yyyy-MM-dd'T'HH:mm:ss'Z'", CultureInfo.InvariantCulture);
        Append(slot, written);
        _values[slot].Date = HeaderDate.Of(utc);
    }

    private ReadOnlySpan<byte> Append(int slot, int length)
    {
        ref HeaderValue value = ref _values[slot];
        value.Unescaped = true;
        value.Start = _unescaped!.Length;
        value.Length = length;
        value.Position = Poison.OutsideBody;
        _unescaped.Advance(length);
        return _unescaped.WrittenSpan[value.Start..];
    }

    /// <summary>Unescapes a value into the header's buffer.</summary>
    internal ReadOnlySpan<byte> Unescape(ReadOnlySpan<byte> escaped, scoped ref HeaderValue value)
    {
        _unescaped ??= _buffers.Rent();
        value.Unescaped = true;
        value.Start = _unescaped.Length;
        value.Length = JsonEscapes.Unescape(escaped, _unescaped.GetSpan(escaped.Length));
        _unescaped.Advance(value.Length);
        return _unescaped.WrittenSpan[value.Start..];
    }
}

/// <summary>How much of a message's body must be valid before the message is stored. See docs/reference/object-keys.md.</summary>
internal enum BodyValidation
{
    /// <summary>
    /// The default: the whole body is one valid JSON object (RFC 8259) in valid UTF-8, at most 64 levels deep, without lone
    /// surrogate escapes, and no property that the key uses occurs twice at the top level.
    /// </summary>
    Full = 0,

    /// <summary>
    /// Reading stops when every property that the key uses was found. Only the part read until then must be valid JSON, and only
    /// the values used must be valid UTF-8 without lone surrogates. This is the fastest; a malformed rest is stored unchanged.
    /// </summary>
    HeaderOnly,
}

/// <summary>The location of one property's value, or the progress of the walk in an object or array on a path. 24 bytes, in an array of the header.</summary>
[StructLayout(LayoutKind.Auto)]
internal struct HeaderValue
{
    /// <summary>Index of the first byte, in the body or in the header's unescaped bytes. For an array: the index of its next element.</summary>
    public int Start;

    /// <summary>Length in bytes; 0 for null and for the empty string. For an array: how many of its used elements were found.</summary>
    public int Length;

    /// <summary>
    /// Index in the body of the value's first byte, which is the quote of a string; 0 when there is no value. For an object or array: the number of properties
    /// that were missing before it.
    /// </summary>
    public int Position;

    /// <summary>The date, when the property is used as a date and has one.</summary>
    public HeaderDate Date;

    /// <summary>The property occurred; its value may be null.</summary>
    public bool Found;

    /// <summary>The value is used as a date and is none.</summary>
    public bool IsBadDate;

    /// <summary>The value had escapes, so its bytes are in the header's buffer, not in the body.</summary>
    public bool Unescaped;
}
