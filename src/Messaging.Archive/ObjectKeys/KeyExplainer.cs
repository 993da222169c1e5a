using System.Text;
using Quayside.Messaging.Archive.Headers;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Archive.ObjectKeys;

/// <summary>Explains the origin of each part of a message's key. For people; allocates.</summary>
internal static class KeyExplainer
{
    /// <summary>Begins the reason of a part that the source's id made.</summary>
    public const string OfSource = "the source's id";

    /// <summary>One entry per placeholder, in the order of the key.</summary>
    /// <param name="template">The template that wrote the key.</param>
    /// <param name="options">The options of the template.</param>
    /// <param name="header">Read from the message.</param>
    /// <param name="sourceId">The source's id; used when the header has none.</param>
    public static IEnumerable<KeyPartExplanation> Explain(KeyTemplate template, ArchiveOptions options, ArchiveHeader header, ReadOnlyMemory<byte> sourceId)
    {
        List<KeyPartExplanation> parts = [];
        for (int i = 0; i < template.Segments.Length; i++)
        {
            KeySegment segment = template.Segments[i];
            switch (segment.Kind)
            {
                case KeySegmentKind.Property:
                    parts.Add(Part(template, options, header, segment));
                    break;
                case KeySegmentKind.MessageId:
                    parts.Add(Id(template, header, segment, sourceId));
                    break;
                case KeySegmentKind.Date:
                    parts.Add(Date(template, options, header, segment));
                    break;
                case KeySegmentKind.SkipWithoutDate when !header.Date(segment.Slot).HasValue:
                    bool isDefault = header.Text(segment.Slot).Length > 0;
                    string why = header.IsBadDate(segment.Slot) ? $"no known form of a date; InvalidDate={options.InvalidDate}"
                        : isDefault ? "the first second of year 1 means no date"
                        : $"missing, null or empty; MissingProperty={options.MissingProperty}";
                    parts.Add(new KeyPartExplanation(
                        template.Properties[segment.Slot].Name,
                        Show(header, segment.Slot),
                        "(left out)",
                        why));
                    i += segment.Skip;
                    break;
            }
        }

        return parts;
    }

    private static KeyPartExplanation Part(KeyTemplate template, ArchiveOptions options, ArchiveHeader header, in KeySegment segment)
    {
        ReadOnlySpan<byte> value = header.Text(segment.Slot);
        string name = template.Properties[segment.Slot].Name + (segment.Rule == KeyRule.Seed ? "" : ":" + segment.Rule.ToString().ToLowerInvariant())
            + (segment.Limit == 0 ? "" : $":{segment.Limit}");
        Span<byte> part = stackalloc byte[KeyPart.MaxBytes];
        if (value.IsEmpty)
        {
            string? near = PropertyNameHint.Find(header.Body, template.Properties[segment.Slot].Path);
            string hint = near is null ? "" : $"; the message has \"{near}\": names are case-sensitive";
            return new KeyPartExplanation(
                name, "(none)", Encoding.ASCII.GetString(KeyPart.Unknown), $"missing, null or empty{hint}; MissingProperty={options.MissingProperty}");
        }

        if (KeyPart.TryWrite(segment.Rule, value, part, out int length, segment.Limit))
        {
            bool isSame = value.SequenceEqual(part[..length]);
            return new KeyPartExplanation(
                name, Show(header, segment.Slot), Encoding.ASCII.GetString(part[..length]), isSame ? "unchanged" : Describe(segment, part[..length]));
        }

        bool isEncoded = options.InvalidValue == InvalidValueRule.Encode;
        string written = Encoding.ASCII.GetString(isEncoded ? part[..KeyPart.Encode(value, part, segment.Limit)] : KeyPart.Invalid);
        return new KeyPartExplanation(name, Show(header, segment.Slot), written, $"does not fit the rule; InvalidValue={options.InvalidValue}");
    }

    private static string Describe(in KeySegment segment, ReadOnlySpan<byte> part) => segment.Rule switch
    {
        _ when segment.Limit > 0 && part.LastIndexOf("=="u8) >= 0 => $"cut to {segment.Limit} bytes; its end is of its SHA-256",
        KeyRule.Seed => "lower case, blanks as _",
        KeyRule.Lower => "lower case",
        _ => part.StartsWith("=="u8) ? "too long: its SHA-256" : "escaped",
    };

    private static KeyPartExplanation Id(KeyTemplate template, ArchiveHeader header, in KeySegment segment, ReadOnlyMemory<byte> sourceId)
    {
        ReadOnlySpan<byte> id = header.Text(segment.Slot);
        bool isOfSource = id.IsEmpty;
        id = isOfSource ? sourceId.Span : id;
        Span<byte> part = stackalloc byte[KeyPart.MaxBytes];
        ReadOnlySpan<byte> written = part[..KeyPart.WriteId(id, part)];
        string from = isOfSource ? $"{OfSource}; MissingId=UseSourceId" : $"the id, from {template.Properties[segment.Slot].Name}";
        string how = id.SequenceEqual(written) ? "unchanged" : written.StartsWith("=="u8) ? "too long: its SHA-256" : "escaped";
        return new KeyPartExplanation("MessageId", isOfSource ? Quote(id) : Show(header, segment.Slot), Encoding.ASCII.GetString(written), $"{from}, {how}");
    }

    private static KeyPartExplanation Date(KeyTemplate template, ArchiveOptions options, ArchiveHeader header, in KeySegment segment)
    {
        Span<byte> text = stackalloc byte[KeyTemplate.MaxKeyBytes];
        HeaderDate local = template.LocalDate(header, segment.Slot);
        int length = KeyTemplate.WriteDate(segment, local, text);
        HeaderProperty property = template.Properties[segment.Slot];
        HeaderDate date = header.Date(segment.Slot);
        string kind = (property.Use & HeaderUse.AnyDate) switch
        {
            HeaderUse.Epoch => ", from seconds since 1970",
            HeaderUse.EpochMs => ", from milliseconds since 1970",
            HeaderUse.EpochUs => ", from microseconds since 1970",
            HeaderUse.EpochNs => ", from nanoseconds since 1970",
            _ => "",
        };
        DateTimeOffset now = TimeProvider.System.GetUtcNow();
        string warning = ImplausibleDate.Find(date, now) is { } why
            ? $"; warning: {why}, which is implausible{ImplausibleDate.SuggestUnit(header.Text(segment.Slot), property.Use, now)}"
            : "";
        return new KeyPartExplanation(
            property.Name, Show(header, segment.Slot), Encoding.ASCII.GetString(text[..length]).Trim('/'),
            $"the date {ImplausibleDate.Show(date)}{kind}{(local == date ? "" : $", in {options.TimeZone}")}{warning}");
    }

    // As in the JSON: only strings have quotes. What the source knows is text.
    private static string Show(ArchiveHeader header, int slot)
    {
        ReadOnlySpan<byte> value = header.Text(slot);
        return value.IsEmpty || header.Position(slot) == Poison.OutsideBody || header.Body.Span[header.Position(slot)] == '"'
            ? Quote(value)
            : UntrustedText.Shorten(value);
    }

    private static string Quote(ReadOnlySpan<byte> value) => value.IsEmpty ? "(none)" : $"\"{UntrustedText.Shorten(value)}\"";
}

/// <summary>The origin of the part that one placeholder wrote.</summary>
/// <param name="Placeholder">The property's path, and its rule where it has one.</param>
/// <param name="Value">The message's value, escaped for a terminal.</param>
/// <param name="Part">The part of the key.</param>
/// <param name="Because">Why the part differs from the value, or that it does not.</param>
internal sealed record KeyPartExplanation(string Placeholder, string Value, string Part, string Because);
