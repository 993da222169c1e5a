using System.Collections.Immutable;
using System.Text;
using Quayside.Messaging.Archive.Headers;

namespace Quayside.Messaging.Archive.ObjectKeys;

/// <summary>
/// Turns checked levels into segments. A level before the id includes the slash after it, and a level after the id the slash before
/// it, so that a date level can be left out together with its slash. Fixed text is joined to the segment before it.
/// </summary>
internal sealed class KeySegmentBuilder
{
    private readonly List<KeySegment> _segments = [];
    private readonly List<HeaderProperty> _properties = [];
    private int _closed; // no text is joined to segments before this index: they can be left out, or precede segments that can

    /// <summary>The segments, in the order of the key.</summary>
    public ImmutableArray<KeySegment> Segments => [.. _segments];

    /// <summary>The properties that the segments read; a property's index is its slot.</summary>
    public ImmutableArray<HeaderProperty> Properties => [.. _properties];

    /// <summary>Number of digits of a field in a key.</summary>
    public static int DigitsOf(KeyDateField field) => field == KeyDateField.Year ? 4 : 2;

    /// <summary>Returns a property's slot; assigns one on first use.</summary>
    /// <param name="property">The property; its uses are added to its earlier ones.</param>
    /// <param name="isFirst">True on first use.</param>
    public int Slot(HeaderProperty property, out bool isFirst)
    {
        int slot = _properties.FindIndex(other => other.Path.Equals(property.Path));
        isFirst = slot < 0;
        if (isFirst)
        {
            _properties.Add(property);
            return _properties.Count - 1;
        }

        _properties[slot] = _properties[slot] with { Use = _properties[slot].Use | property.Use };
        return slot;
    }

    /// <summary>Adds all levels of a key.</summary>
    public void Add(ImmutableArray<KeyLevel> levels, HeaderProperty id)
    {
        bool isBehindId = false;
        for (int i = 0; i < levels.Length;)
        {
            // Adjacent levels that depend on the same dates are left out together.
            KeyLevel first = levels[i];
            int end = i + 1;
            while (end < levels.Length && first.Dates.Length > 0 && levels[end].Dates.SequenceEqual(first.Dates))
            {
                end++;
            }

            int guards = _segments.Count;
            foreach (HeaderProperty date in first.Dates)
            {
                Add(KeySegmentKind.SkipWithoutDate, date);
            }

            _closed = first.Dates.Length > 0 ? _segments.Count : _closed;
            for (; i < end; i++)
            {
                AddLevel(levels[i], id, ref isBehindId);
            }

            for (int guard = guards; guard < guards + first.Dates.Length; guard++)
            {
                _segments[guard] = _segments[guard] with { Skip = _segments.Count - guard - 1 };
            }

            _closed = first.Dates.Length > 0 ? _segments.Count : _closed;
        }
    }

    private void AddLevel(KeyLevel level, HeaderProperty id, ref bool isBehindId)
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
                    Add(KeySegmentKind.Property, new HeaderProperty(piece.Path!, piece.Use), piece.Rule, piece.Limit);
                    break;
                case KeyPieceKind.MessageId:
                    Add(KeySegmentKind.MessageId, id);
                    break;
                default:
                    AddDateField(new HeaderProperty(piece.Path!, piece.Use), piece.Field);
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
            _segments.Add(new KeySegment(KeySegmentKind.Fixed, 0, KeyRule.Seed, 0, IsFirst: false, [], [], 0));
        }

        _segments[^1] = _segments[^1] with { Text = [.. _segments[^1].Text, .. text] };
    }

    private void Add(KeySegmentKind kind, HeaderProperty property, KeyRule rule = KeyRule.Seed, int limit = 0) =>
        _segments.Add(new KeySegment(kind, Slot(property, out bool isFirst), rule, limit, isFirst, [], [], 0));

    private void AddDateField(HeaderProperty date, KeyDateField field)
    {
        if (_segments.Count == _closed || _segments[^1].Kind != KeySegmentKind.Date || _segments[^1].Slot != Slot(date, out _))
        {
            Add(KeySegmentKind.Date, date);
        }

        int offset = _segments[^1].Text.Length;
        AddText("0000"u8[..DigitsOf(field)]);
        _segments[^1] = _segments[^1] with { Fields = [.. _segments[^1].Fields, (offset, field)] };
    }
}
