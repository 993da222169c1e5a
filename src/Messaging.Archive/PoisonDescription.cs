using System.Collections.Immutable;
using Quayside.Messaging.Archive.Headers;
using Quayside.Messaging.Archive.ObjectKeys;
using Quayside.Messaging.Json;

namespace Quayside.Messaging.Archive;

/// <summary>Describes why a message gets no key and how to fix it, for dead letters, responses and explain-key. Allocates.</summary>
internal static class PoisonDescription
{
    /// <summary>Describes one poison message, without any of its values.</summary>
    /// <param name="poison">Why the message gets no key.</param>
    /// <param name="header">The header read from the message, before its Reset.</param>
    /// <param name="properties">The key's properties.</param>
    public static string Of(Poison poison, ArchiveHeader header, ImmutableArray<HeaderProperty> properties) => poison.Reason switch
    {
        PoisonReason.MissingId =>
            $"The message has no id (property \"{poison.Property}\"{Near(poison, header, properties, "; ", "")}). Send one, or set "
                + $"{ArchiveOptions.Section}:{nameof(ArchiveOptions.MissingId)} to {nameof(MissingIdRule.UseSourceId)}.",
        PoisonReason.MissingProperty =>
            $"The key needs the property \"{poison.Property}\", and the message has no value there{Near(poison, header, properties, " (", ")")}. Send one, or "
                + $"set {ArchiveOptions.Section}:{nameof(ArchiveOptions.MissingProperty)} to {nameof(MissingPropertyRule.Default)}.",
        PoisonReason.InvalidValue =>
            $"The key cannot take the value of the property \"{poison.Property}\"{(poison.Position == Poison.OutsideBody ? "" : $" (byte {poison.Position})")}"
                + $". Send another, use {{{poison.Property}:encode}}, "
                + $"or set {ArchiveOptions.Section}:{nameof(ArchiveOptions.InvalidValue)} to {nameof(InvalidValueRule.Encode)}.",
        PoisonReason.BadDate when poison.Property == SourceNames.Enqueued =>
            $"The key cannot be made: {poison}: the time of the message is no date; in RabbitMQ's timestamp it is not in seconds since 1970, as milliseconds "
                + $"are not. Correct the sender, or set {ArchiveOptions.Section}:{nameof(ArchiveOptions.InvalidDate)} to {nameof(InvalidDateRule.LeaveOut)}.",
        PoisonReason.BadDate or PoisonReason.WrongType when poison.Position == Poison.OutsideBody =>
            $"The key cannot be made: {poison}, {Takes(poison, properties)}.",
        PoisonReason.BadDate when header.Refused is { } node => $"The body cannot be read: {poison}, which takes {DatesOf(node.DateUse)}.",
        PoisonReason.WrongType when header.Refused is { } node =>
            $"The body cannot be read: {poison}, which {WrongType(node, header.Body.Span[poison.Position])}.",
        PoisonReason.TooDeep => $"The body cannot be read: {poison}; a body has at most {JsonScanner.MaxDepth} levels. "
            + $"{ArchiveOptions.Section}:{nameof(ArchiveOptions.BodyValidation)}={nameof(BodyValidation.HeaderOnly)} reads it only as far as the key needs it.",
        _ => $"The body cannot be read: {poison}.{JsonReasons.AdviceFor(header.Body.Span)}",
    };

    private static string Near(Poison poison, ArchiveHeader header, ImmutableArray<HeaderProperty> properties, string before, string after) =>
        properties.FirstOrDefault(property => property.LogText == poison.Property) is { } missing
            && PropertyNameHint.Find(header.Body, missing.Path) is { } near
            ? $"{before}it has \"{near}\": names are case-sensitive{after}"
            : "";

    private static string Takes(Poison poison, ImmutableArray<HeaderProperty> properties) =>
        poison.Reason == PoisonReason.WrongType ? "which takes numbers, true and false; for text leave out the rule number, or use any"
            : $"which takes {DatesOf((properties.FirstOrDefault(property => property.LogText == poison.Property)?.Use ?? HeaderUse.Date) & HeaderUse.AnyDate)}";

    private static string DatesOf(HeaderUse use) => use switch
    {
        HeaderUse.Epoch => "seconds since 1970 in the years 1 to 9999, without an exponent; for milliseconds use epochms",
        HeaderUse.EpochMs => "milliseconds since 1970 in the years 1 to 9999, without an exponent",
        HeaderUse.EpochUs => "microseconds since 1970 in the years 1 to 9999, without an exponent",
        HeaderUse.EpochNs => "nanoseconds since 1970 in the years 1678 to 2262, without an exponent",
        _ => "dates in the years 1 to 9999, such as 2026-01-31 and 2026-01-31T10:20:30Z; for other notations set "
            + $"{ArchiveOptions.Section}:{nameof(ArchiveOptions.DateFormats)}, for seconds since 1970 use epoch, for milliseconds epochms",
    };

    private static string WrongType(HeaderNode node, byte first)
    {
        (bool isNumber, string value) = first switch
        {
            (byte)'"' => (false, "a string"),
            (byte)'{' => (false, "an object"),
            (byte)'[' => (false, "an array"),
            (byte)'t' or (byte)'f' => (false, "a boolean"),
            _ => (true, "a number"),
        };
        string taken = (node.TakesStrings, node.TakesNumbers) switch
        {
            (true, true) => node.DateUse == HeaderUse.None ? "takes strings, numbers, true and false" : "takes numbers, and strings that hold a number",
            (true, false) => "takes strings",
            (false, true) => node.DateUse == HeaderUse.None ? "takes numbers, true and false" : "takes numbers",
            _ => node.IsArray ? "must be an array" : "must be an object",
        };
        string advice = node.DateUse != HeaderUse.None && first == '['
            ? "; an array is no date: use its items as parts of the key, such as {at[0]:any} for the year, or send text"
            : !isNumber || !node.TakesStrings ? ""
            : node.DateUse == HeaderUse.None
            ? "; for numbers use the rule number, for both any"
            : "; for seconds since 1970 use epoch, for milliseconds epochms";
        return $"{taken}; the value is {value}{advice}";
    }
}
