using System.Collections.Immutable;
using Quayside.Messaging.Json;
using Quayside.Pipeline.Messages;

namespace Quayside.Messaging.Archive.Headers;

/// <content>The values that are not in the body.</content>
internal sealed partial class ArchiveHeaderReader
{
    private readonly (int Slot, HeaderProperty Property)[] _ofSource;

    /// <summary>Reads what the source knows of a message, if the key needs any of it, after <see cref="TryRead"/>.</summary>
    /// <param name="message">The message.</param>
    /// <param name="header">Receives the values; of one that the message lacks nothing.</param>
    /// <param name="poison">The reason, when false is returned.</param>
    public bool TryReadSource(ReceivedMessage message, ArchiveHeader header, out Poison poison)
    {
        foreach ((int slot, HeaderProperty property) in _ofSource)
        {
            string? reason = ReadSource(message, property, slot, header);
            if (reason is not null)
            {
                poison = new Poison(reason, Poison.OutsideBody, property.LogText);
                return false;
            }
        }

        poison = default;
        return true;
    }

    private static (int Slot, HeaderProperty Property)[] OfSource(ImmutableArray<HeaderProperty> properties) =>
        [.. properties.Select((property, slot) => (slot, property)).Where(one => one.property.Path.IsOfSource)];

    private string? ReadSource(ReceivedMessage message, HeaderProperty property, int slot, ArchiveHeader header)
    {
        string name = property.Path.Steps[0].Name!;
        switch (name)
        {
            case SourceNames.Enqueued when message.EnqueuedAt is { } enqueued:
                header.SetDate(slot, enqueued.UtcDateTime);
                return null;
            case SourceNames.Id:
                return Check(header.SetText(slot, message.SourceId.Span), property, ref header.Slot(slot));
        }

        string? text = name switch
        {
            SourceNames.Attribute => message.FindAttribute(property.Path.Steps[1].Name!),
            SourceNames.Group => message.Group,
            SourceNames.DeduplicationId => message.DeduplicationId,
            // Also of @enqueued: a time that is no date has only a text.
            _ => message.FindSystemProperty(name[1..]),
        };
        return string.IsNullOrEmpty(text) ? null : Check(header.SetText(slot, text), property, ref header.Slot(slot));
    }

    // A source's value has no type: it is what its text can be read as.
    private string? Check(ReadOnlySpan<byte> text, HeaderProperty property, ref HeaderValue value)
    {
        HeaderUse date = property.Use & HeaderUse.AnyDate;
        if (date != HeaderUse.None)
        {
            value.IsBadDate = !HeaderDate.TryParse(text, date, _dateForms, out value.Date);
            return value.IsBadDate && !_leavesOutBadDates ? PoisonReason.BadDate : null;
        }

        return property.Use.HasFlag(HeaderUse.Number) && !IsNumber(text) ? PoisonReason.WrongType : null;
    }

    private static bool IsNumber(ReadOnlySpan<byte> text)
    {
        var scanner = new JsonScanner(text, rejectLoneSurrogates: true);
        return (text[0] is (byte)'-' or (byte)'t' or (byte)'f' || char.IsAsciiDigit((char)text[0])) && scanner.SkipScalar(0) == text.Length;
    }
}
