using System.Collections.Immutable;
using System.Diagnostics.CodeAnalysis;
using Quayside.Messaging.Archive.Headers;
using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.Archive.ObjectKeys;

/// <summary>
/// Writes object keys from message headers, by a template compiled once at start. A key is ASCII of at most
/// <see cref="LongestKeyBytes"/> bytes, without an empty level, without <c>.</c> or <c>..</c>, and without a slash at either end. The id of the message
/// can be read from its key, so messages with different ids never share one. Rules: docs/reference/object-keys.md. Immutable: one instance
/// serves all threads. Expected bytes allocated per message: 0.
/// </summary>
internal sealed class KeyTemplate
{
    /// <summary>S3's limit, in bytes of UTF-8: https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-keys.html.</summary>
    public const int MaxKeyBytes = 1_024;

    private readonly KeySegment[] _segments;
    private readonly int[] _dateSlots;
    private readonly int _idSlot;
    private readonly MissingPropertyRule _missingProperty;
    private readonly InvalidValueRule _invalidValue;
    private readonly DateForms _dateForms;
    private readonly InvalidDateRule _invalidDate;
    private readonly TimeZoneInfo? _zone; // null for UTC

    private KeyTemplate(ImmutableArray<KeyLevel> levels, HeaderProperty id, ArchiveOptions options)
    {
        var builder = new KeySegmentBuilder();
        builder.Add(levels, id);
        _segments = [.. builder.Segments];
        _idSlot = builder.Slot(id, out _);
        _missingProperty = options.MissingProperty;
        _invalidValue = options.InvalidValue;
        _dateForms = new DateForms(options.DateFormats);
        _invalidDate = options.InvalidDate;
        TimeZoneInfo zone = KeyTemplateCompiler.FindZone(options)!;
        _zone = zone.Equals(TimeZoneInfo.Utc) ? null : zone;
        int[] slots = [.. options.Properties.Select(property => SlotOf(property, builder))];
        ObjectProperties = ObjectPropertyReader.Create(options.Properties, slots, _idSlot);
        Properties = builder.Properties;
        _dateSlots = [.. Enumerable.Range(0, Properties.Length).Where(slot => (Properties[slot].Use & HeaderUse.AnyDate) != HeaderUse.None)];
        LongestKeyBytes = KeyTemplateCompiler.LongestKey(levels);
        LongestLevelBytes = levels.Max(KeyTemplateCompiler.LongestLevel);
        Merging = [.. levels.SelectMany(level => level.FindMerging(options.InvalidValue)).Distinct(StringComparer.Ordinal)];
        Sharing = [.. levels.SelectMany(level => level.FindSharing()).Distinct(StringComparer.Ordinal)];
    }

    /// <summary>Reads the metadata and tags of the objects; null when they have none.</summary>
    public ObjectPropertyReader? ObjectProperties { get; }

    /// <summary>
    /// The properties that the key needs, in the order of the template, and those that only metadata and tags need; the header's reader looks for them.
    /// </summary>
    public ImmutableArray<HeaderProperty> Properties { get; }

    /// <summary>True when the id is one that messages out of one envelope share.</summary>
    public bool SharesId => Properties[_idSlot].Path is { IsOfSource: true, Text: not SourceNames.Id };

    /// <summary>Bytes of the longest key that any message can get, at most <see cref="MaxKeyBytes"/>.</summary>
    public int LongestKeyBytes { get; }

    /// <summary>Bytes of the longest name between two slashes. A folder can store the objects if its file names may be that long.</summary>
    public int LongestLevelBytes { get; }

    /// <summary>The paths whose rule can write the same part for different values.</summary>
    public ImmutableArray<string> Merging { get; }

    /// <summary>The paths that share a level with another path, so that different values can write the same level.</summary>
    public ImmutableArray<string> Sharing { get; }

    /// <summary>The compiled steps, in the order of the key.</summary>
    internal ReadOnlySpan<KeySegment> Segments => _segments;

    /// <summary>Checks and compiles the options.</summary>
    /// <param name="options">Read now; later changes have no effect.</param>
    /// <param name="template">The template, when true is returned.</param>
    /// <param name="errors">All errors in the options, when false is returned.</param>
    public static bool TryCompile(
        ArchiveOptions options,
        [NotNullWhen(true)] out KeyTemplate? template,
        out ImmutableArray<KeyTemplateError> errors)
    {
        template = KeyTemplateCompiler.TryRead(options, out ImmutableArray<KeyLevel> levels, out HeaderProperty? id, out errors)
            ? new KeyTemplate(levels, id, options)
            : null;
        return template is not null;
    }

    /// <summary>Creates the reader of the values that the keys need.</summary>
    public ArchiveHeaderReader CreateReader(BodyValidation validation) => new(Properties, validation, _dateForms, _invalidDate == InvalidDateRule.LeaveOut);

    /// <summary>True when the header has no id, so that the key needs the message's source id.</summary>
    public bool NeedsSourceId(ArchiveHeader header) => header.Text(_idSlot).IsEmpty;

    /// <summary>Appends the key of one message.</summary>
    /// <param name="header">Read by the reader of <see cref="CreateReader"/>.</param>
    /// <param name="sourceId">The message's source id, used when the header has no id: any bytes, may be empty.</param>
    /// <param name="destination">The key is appended to it. Rent it with <see cref="LongestKeyBytes"/> free bytes to avoid growth.</param>
    /// <param name="poison">Why the message gets no key, when false is returned and nothing was written.</param>
    /// <param name="monitor">Counts the values that are missing or do not fit; made from <see cref="Properties"/>.</param>
    public bool TryWrite(ArchiveHeader header, ReadOnlySpan<byte> sourceId, PooledBuffer destination, out Poison poison, KeyPartMonitor? monitor = null)
    {
        ReadOnlySpan<byte> id = header.Text(_idSlot);
        if (id.IsEmpty)
        {
            id = sourceId;
            if (id.IsEmpty)
            {
                poison = new Poison(PoisonReason.MissingId, PositionOf(_idSlot, header), Properties[_idSlot].LogText);
                return false;
            }
        }

        Span<byte> key = destination.GetSpan(LongestKeyBytes);
        KeySegment[] segments = _segments;
        int written = 0;
        for (int i = 0; i < segments.Length; i++)
        {
            ref readonly KeySegment segment = ref segments[i];
            switch (segment.Kind)
            {
                case KeySegmentKind.Property:
                    ReadOnlySpan<byte> value = header.Text(segment.Slot);
                    if (value.IsEmpty || !KeyPart.TryWrite(segment.Rule, value, key[written..], out int length, segment.Limit))
                    {
                        length = WriteSubstitute(segment, value, header, key[written..], monitor, out poison);
                        if (length == 0)
                        {
                            return false;
                        }
                    }

                    written += length;
                    break;
                case KeySegmentKind.MessageId:
                    written += KeyPart.WriteId(id, key[written..]);
                    break;
                case KeySegmentKind.Date:
                    written += WriteDate(segment, LocalDate(header, segment.Slot), key[written..]);
                    continue;
                case KeySegmentKind.SkipWithoutDate:
                    if (!header.Date(segment.Slot).HasValue)
                    {
                        if (header.IsBadDate(segment.Slot))
                        {
                            monitor?.CountBadDate(segment.Slot);
                        }
                        else if (IsRefused(segment, header, monitor, out poison))
                        {
                            return false;
                        }

                        i += segment.Skip;
                    }

                    continue;
            }

            segment.Text.CopyTo(key[written..]);
            written += segment.Text.Length;
        }

        destination.Advance(written);
        if (monitor is not null)
        {
            foreach (int slot in _dateSlots)
            {
                monitor.CheckDate(slot, header);
            }
        }

        poison = default;
        return true;
    }

    /// <summary>Writes the substitute for a value that is missing or does not fit its rule.</summary>
    /// <returns>Bytes written; 0 when the rules dead-letter the message.</returns>
    private int WriteSubstitute(
        in KeySegment segment, ReadOnlySpan<byte> value, ArchiveHeader header, Span<byte> destination, KeyPartMonitor? monitor, out Poison poison)
    {
        if (value.IsEmpty)
        {
            return IsRefused(segment, header, monitor, out poison) ? 0 : Copy(KeyPart.Unknown, destination);
        }

        poison = default;
        monitor?.CountInvalid(segment.Slot, segment.Rule);
        switch (_invalidValue)
        {
            case InvalidValueRule.DeadLetter:
                poison = new Poison(PoisonReason.InvalidValue, header.Position(segment.Slot), Properties[segment.Slot].LogText);
                return 0;
            case InvalidValueRule.Encode:
                return KeyPart.Encode(value, destination, segment.Limit);
            default:
                return Copy(KeyPart.Invalid, destination);
        }
    }

    private int SlotOf(ObjectPropertyText property, KeySegmentBuilder builder) => property.Parse([]) is not { } path ? -1
        : path.Equals(KeyTemplateParser.DefaultId) ? _idSlot
        : builder.Slot(new HeaderProperty(path, HeaderUse.Raw), out _);

    private bool IsRefused(in KeySegment segment, ArchiveHeader header, KeyPartMonitor? monitor, out Poison poison)
    {
        if (segment.IsFirst)
        {
            monitor?.CountMissing(segment.Slot, header);
        }

        bool isRefused = _missingProperty == MissingPropertyRule.DeadLetter;
        poison = isRefused ? new Poison(PoisonReason.MissingProperty, PositionOf(segment.Slot, header), Properties[segment.Slot].LogText) : default;
        return isRefused;
    }

    private int PositionOf(int slot, ArchiveHeader header) => Properties[slot].Path.IsOfSource ? Poison.OutsideBody : header.Position(slot);

    private static int Copy(ReadOnlySpan<byte> text, Span<byte> destination)
    {
        text.CopyTo(destination);
        return text.Length;
    }

    /// <summary>The date of a property in the time zone of the keys.</summary>
    internal HeaderDate LocalDate(ArchiveHeader header, int slot) => _zone is null ? header.Date(slot) : header.Date(slot).In(_zone);

    /// <summary>Writes a date's fields with the fixed text around them.</summary>
    /// <returns>Bytes written.</returns>
    internal static int WriteDate(in KeySegment segment, HeaderDate date, Span<byte> destination)
    {
        segment.Text.CopyTo(destination);
        foreach ((int offset, KeyDateField field) in segment.Fields)
        {
            int value = field switch
            {
                KeyDateField.Year => date.Year,
                KeyDateField.Month => date.Month,
                KeyDateField.Day => date.Day,
                KeyDateField.Hour => date.Hour,
                KeyDateField.Minute => date.Minute,
                _ => date.Second,
            };
            int at = offset;
            if (field == KeyDateField.Year)
            {
                WriteTwoDigits(value / 100, destination[at..]);
                value %= 100;
                at += 2;
            }

            WriteTwoDigits(value, destination[at..]);
        }

        return segment.Text.Length;
    }

    private static void WriteTwoDigits(int value, Span<byte> destination)
    {
        destination[1] = (byte)('0' + (value % 10));
        destination[0] = (byte)('0' + (value / 10));
    }
}
