using System.Collections.Immutable;
using System.Text;
using Worker.Handlers.Archive;

namespace Worker.ObjectKeys;

/// <summary>
/// Turns checked levels into segments. A level in front of the id takes the slash after it, a level behind the id the slash
/// before it, so that a date level can be left out together with its slash. Fixed text is joined to the segment before it.
/// </summary>
internal sealed class KeySegmentBuilder
{
    private readonly List<KeySegment> _segments = [];
    private readonly List<string> _names = [];
    private readonly List<HeaderUse> _uses = [];
    private int _closed; // segments before this index take no more text: they are left out without a date, or end before that

    /// <summary>The segments, in the order of the key.</summary>
    public ImmutableArray<KeySegment> Segments => [.. _segments];

    /// <summary>The properties that the segments read: the index is the slot.</summary>
    public ImmutableArray<HeaderProperty> Properties => [.. _names.Select((name, slot) => new HeaderProperty(name, _uses[slot]))];

    /// <summary>Digits that a field has in a key.</summary>
    public static int DigitsOf(KeyDateField field) => field == KeyDateField.Year ? 4 : 2;

    /// <summary>Gives a property its slot.</summary>
    public int Slot(string name, HeaderUse use)
    {
        int slot = _names.IndexOf(name);
        if (slot < 0)
        {
            slot = _names.Count;
            _names.Add(name);
            _uses.Add(use);
        }

        _uses[slot] |= use;
        return slot;
    }

    /// <summary>Adds all levels of a key.</summary>
    public void Add(ImmutableArray<KeyLevel> levels, string messageIdProperty)
    {
        bool isBehindId = false;
        for (int i = 0; i < levels.Length;)
        {
            // Neighbours that hang on the same dates are left out together.
            KeyLevel first = levels[i];
            int end = i + 1;
            while (end < levels.Length && first.Dates.Length > 0 && levels[end].Dates.SequenceEqual(first.Dates, StringComparer.Ordinal))
            {
                end++;
            }

            int guards = _segments.Count;
            foreach (string date in first.Dates)
            {
                _segments.Add(new KeySegment(KeySegmentKind.SkipWithoutDate, Slot(date, HeaderUse.Date), [], [], 0));
            }

            _closed = first.Dates.Length > 0 ? _segments.Count : _closed;
            for (; i < end; i++)
            {
                AddLevel(levels[i], messageIdProperty, ref isBehindId);
            }

            for (int guard = guards; guard < guards + first.Dates.Length; guard++)
            {
                _segments[guard] = _segments[guard] with { Skip = _segments.Count - guard - 1 };
            }

            _closed = first.Dates.Length > 0 ? _segments.Count : _closed;
        }
    }

    private void AddLevel(KeyLevel level, string messageIdProperty, ref bool isBehindId)
    {
        if (isBehindId)
        {
            AddText("/"u8);
        }

        foreach (KeyPiece piece in level.Pieces)
        {
            switch (piece.Kind)
            {
                case KeyPieceKind.Literal:
                    AddText(Encoding.UTF8.GetBytes(piece.Text));
                    break;
                case KeyPieceKind.Property:
                    _segments.Add(new KeySegment(KeySegmentKind.Property, Slot(piece.Text, HeaderUse.Text), [], [], 0));
                    break;
                case KeyPieceKind.MessageId:
                    _segments.Add(new KeySegment(KeySegmentKind.MessageId, Slot(messageIdProperty, HeaderUse.Text), [], [], 0));
                    break;
                default:
                    AddDateField(Slot(piece.Text, HeaderUse.Date), piece.Field);
                    break;
            }
        }

        isBehindId |= level.IdIndex >= 0;
        if (!isBehindId)
        {
            AddText("/"u8);
        }
    }

    private void AddText(ReadOnlySpan<byte> text)
    {
        if (_segments.Count == _closed)
        {
            _segments.Add(new KeySegment(KeySegmentKind.Fixed, 0, [], [], 0));
        }

        _segments[^1] = _segments[^1] with { Text = [.. _segments[^1].Text, .. text] };
    }

    private void AddDateField(int slot, KeyDateField field)
    {
        if (_segments.Count == _closed || _segments[^1].Kind != KeySegmentKind.Date || _segments[^1].Slot != slot)
        {
            _segments.Add(new KeySegment(KeySegmentKind.Date, slot, [], [], 0));
        }

        int offset = _segments[^1].Text.Length;
        AddText("0000"u8[..DigitsOf(field)]);
        _segments[^1] = _segments[^1] with { Fields = [.. _segments[^1].Fields, (offset, field)] };
    }
}
