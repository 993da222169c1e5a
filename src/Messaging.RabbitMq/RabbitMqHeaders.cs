using System.Globalization;
using System.Text;
using Quayside.Pipeline.Settlements;
using RabbitMQ.Client;

namespace Quayside.Messaging.RabbitMq;

/// <summary>Reads the headers of deliveries, and copies messages without what belongs to one delivery only.</summary>
internal static class RabbitMqHeaders
{
    public const string Reason = "dead-letter-reason";
    public const string Description = "dead-letter-description";
    public const string ExceptionType = "dead-letter-exception-type";
    public const string Exception = "dead-letter-exception";

    public const string Time = "dead-letter-time";
    public const string Deliveries = "dead-letter-deliveries";

    private const string Queue = "dead-letter-queue";
    private const string DeliveryCount = "x-delivery-count";

    private const int MaxDescription = 4096;

    // The broker's own counts, the client's number, and CC and BCC, by which the broker would route the copy to further queues.
    private static readonly string[] OfOneDelivery = [DeliveryCount, "x-acquired-count", "x-dotnet-pub-seq-no", "CC", "BCC"];

    // What describes a dead letter: the worker's own, and the broker's.
    private static readonly string[] OfDeadLetters = [
        Reason, Description, ExceptionType, Exception, Time, Deliveries, Queue, "x-death", "x-first-death-exchange", "x-first-death-queue",
        "x-first-death-reason", "x-last-death-exchange", "x-last-death-queue", "x-last-death-reason"];

    /// <summary>The earlier deliveries that a quorum queue has counted; null where the queue counts none.</summary>
    public static int? EarlierDeliveries(IReadOnlyBasicProperties properties) =>
        properties.Headers?.TryGetValue(DeliveryCount, out object? count) == true && count is long or int
            ? (int)Math.Clamp(Convert.ToInt64(count, CultureInfo.InvariantCulture), 0, int.MaxValue - 1)
            : null;

    /// <summary>A header's text; null where the message has none of that name, or one that is no single value.</summary>
    public static string? Find(IReadOnlyBasicProperties properties, string name) =>
        properties.Headers?.TryGetValue(name, out object? value) == true ? TextOf(value) : null;

    /// <summary>The text of a header, that of a time that no date has as it is; null for tables and lists.</summary>
    public static string? TextOf(object? value) => value switch
    {
        null => string.Empty,
        byte[] bytes => Encoding.UTF8.GetString(bytes),
        string text => text,
        bool flag => flag ? "true" : "false",
        AmqpTimestamp time => TimeOf(time)?.ToString("O", CultureInfo.InvariantCulture) ?? time.UnixTime.ToString(CultureInfo.InvariantCulture),
        BinaryTableValue binary => Convert.ToBase64String(binary.Bytes ?? []),
        IFormattable number => number.ToString(null, CultureInfo.InvariantCulture),
        _ => null,
    };

    /// <summary>The time of seconds since 1970; null for a number that no date has, such as milliseconds.</summary>
    public static DateTimeOffset? TimeOf(AmqpTimestamp time) =>
        time.UnixTime >= 0 && time.UnixTime <= DateTimeOffset.MaxValue.ToUnixTimeSeconds() ? DateTimeOffset.FromUnixTimeSeconds(time.UnixTime) : null;

    /// <summary>The properties of a dead letter.</summary>
    /// <param name="message">The message.</param>
    /// <param name="settlement">Why it is dead-lettered.</param>
    /// <param name="queue">The queue that it came from.</param>
    /// <param name="headers">What describes it.</param>
    /// <param name="now">When it is dead-lettered.</param>
    public static BasicProperties DeadLetter(RabbitMqMessage message, Settlement settlement, string queue, DeadLetterHeaders headers, DateTimeOffset now)
    {
        BasicProperties copy = Copy(message.Properties, []);
        if (headers == DeadLetterHeaders.None)
        {
            return copy;
        }

        copy.Headers![Reason] = settlement.Reason;
        copy.Headers[Deliveries] = (long)message.DeliveryCount;
        copy.Headers[Queue] = queue;
        copy.Headers[Time] = new AmqpTimestamp(now.ToUnixTimeSeconds());
        if (headers == DeadLetterHeaders.WithoutTexts)
        {
            return copy;
        }

        string description = settlement.Description ?? string.Empty;
        copy.Headers[Description] = description.Length > MaxDescription ? description[..MaxDescription] : description;
        if (settlement.ExceptionType is { } type)
        {
            copy.Headers[ExceptionType] = type;
        }

        if (settlement.Exception is { } exception)
        {
            copy.Headers[Exception] = Quayside.Messaging.DeadLetters.DeadLetter.Describe(exception);
        }

        return copy;
    }

    /// <summary>The properties of a dead letter that becomes a message again.</summary>
    public static BasicProperties Redriven(IReadOnlyBasicProperties letter) => Copy(letter, OfDeadLetters);

    /// <summary>The record of a dead letter for the folder.</summary>
    /// <param name="letter">The dead letter.</param>
    /// <param name="id">The message's id.</param>
    /// <param name="reason">Its reason code.</param>
    /// <param name="now">For what has no time.</param>
    public static Quayside.Messaging.DeadLetters.DeadLetter Record(IReadOnlyBasicProperties letter, string id, string reason, DateTimeOffset now)
    {
        DateTimeOffset time = TimeOf(letter.Headers, Time) ?? DeathTimeOf(letter) ?? now;
        Dictionary<string, string> system = new(StringComparer.Ordinal);
        foreach ((string name, string? value) in (ReadOnlySpan<(string, string?)>)[
                ("correlation-id", letter.CorrelationId), ("content-type", letter.ContentType), ("reply-to", letter.ReplyTo)])
        {
            if (!string.IsNullOrEmpty(value))
            {
                system[name] = value;
            }
        }

        return new Quayside.Messaging.DeadLetters.DeadLetter
        {
            SourceId = id,
            Source = RabbitMqSourceOptions.SourceName,
            Route = string.Empty,
            Reason = reason.Length == 0 ? Quayside.Messaging.DeadLetters.DeadLetter.Unspecified : reason,
            Description = Find(letter, Description) ?? "The broker, or another program, moved it to the dead-letter queue.",
            ExceptionType = Find(letter, ExceptionType),
            Exception = Find(letter, Exception),
            Attempts = int.TryParse(Find(letter, Deliveries), CultureInfo.InvariantCulture, out int deliveries) ? deliveries : 1,
            FirstSeen = letter.IsTimestampPresent() ? TimeOf(letter.Timestamp) ?? time : time,
            LastSeen = time,
            Attributes = Own(letter)
                .Select(header => (header.Key, Value: TextOf(header.Value)))
                .Where(static header => header.Value is not null)
                .ToDictionary(static header => header.Key, static header => header.Value!, StringComparer.Ordinal),
            SystemProperties = system,
        };
    }

    /// <summary>The first of a dead letter's own headers that has no text: a table or a list. Null when all have one.</summary>
    public static string? FindWithoutText(IReadOnlyBasicProperties letter) =>
        Own(letter).Where(static header => TextOf(header.Value) is null).Select(static header => header.Key).FirstOrDefault();

    private static DateTimeOffset? TimeOf(IDictionary<string, object?>? headers, string name) =>
        headers?.TryGetValue(name, out object? value) == true && value is AmqpTimestamp time ? TimeOf(time) : null;

    // When the broker itself moved it; the newest comes first.
    private static DateTimeOffset? DeathTimeOf(IReadOnlyBasicProperties letter) =>
        letter.Headers?.TryGetValue("x-death", out object? deaths) == true && deaths is IList<object?> { Count: > 0 } all
            ? TimeOf(all[0] as IDictionary<string, object?>, "time")
            : null;

    private static IEnumerable<KeyValuePair<string, object?>> Own(IReadOnlyBasicProperties letter) =>
        (letter.Headers ?? new Dictionary<string, object?>(StringComparer.Ordinal)).Where(
            static header => !OfOneDelivery.Contains(header.Key, StringComparer.Ordinal) && !OfDeadLetters.Contains(header.Key, StringComparer.Ordinal));

    private static BasicProperties Copy(IReadOnlyBasicProperties properties, string[] without) => new(properties)
    {
        Persistent = true,
        Headers = (properties.Headers ?? new Dictionary<string, object?>(StringComparer.Ordinal))
            .Where(header => !OfOneDelivery.Contains(header.Key, StringComparer.Ordinal) && !without.Contains(header.Key, StringComparer.Ordinal))
            .ToDictionary(StringComparer.Ordinal),

        // The broker would refuse another user's name, and drop the copy at the end of its time.
        UserId = null,
        Expiration = null,
    };
}

/// <summary>What describes a dead letter: the message's own headers may nearly fill the one frame that all headers must fit.</summary>
internal enum DeadLetterHeaders
{
    /// <summary>Nothing.</summary>
    None = 0,

    /// <summary>Reason, deliveries, queue and time.</summary>
    WithoutTexts,

    /// <summary>Also description and exception.</summary>
    All,
}
