namespace Quayside.Messaging.RabbitMq;

/// <summary>
/// Warns before a quorum queue drops messages: about a low delivery limit that the broker names, and about deliveries that approach a limit. The
/// limit of a policy, and RabbitMQ's default, cannot be read over AMQP. Threads: any.
/// </summary>
internal sealed class DeliveryLimit(RabbitMqSourceOptions options, RabbitMqLog log, TimeProvider time)
{
    // RabbitMQ's default from version 4 on.
    private const int Usual = 20;

    private int? _limit;
    private bool _isTold;
    private volatile string? _low;
    private volatile Tuple<string, long>? _seen;

    /// <summary>For the page; null while there is nothing to fear.</summary>
    public string? Warning => _low ?? (_seen is { } seen && time.GetElapsedTime(seen.Item2) < TimeSpan.FromMinutes(15) ? seen.Item1 : null);

    /// <summary>What the broker names, before the first delivery.</summary>
    /// <param name="limit">The redeliveries that the queue allows; <see cref="int.MaxValue"/> where it drops nothing; null when the broker does not
    /// tell.</param>
    public void Found(int? limit)
    {
        _limit = limit;
        if (limit <= Usual)
        {
            _low = $"Queue {options.Queue} drops a message that is redelivered more than {limit} time(s) (x-delivery-limit), "
                + "and has no x-dead-letter-exchange. A kill of the worker redelivers each message in the prefetch. "
                + "Set dead-letter-exchange in a policy for the queue, "
                + "or create it again with a higher x-delivery-limit.";
            log.DeliveryLimit(_low);
        }
    }

    /// <summary>A message was redelivered.</summary>
    public void Saw(RabbitMqMessage message)
    {
        // The first one is reported where the limit is unknown, since it may be as low as 1; the others only near RabbitMQ's default.
        if (RabbitMqHeaders.EarlierDeliveries(message.Properties) is { } earlier
            && (earlier >= (_limit ?? Usual) * 3L / 4 || (_limit is null && !Interlocked.Exchange(ref _isTold, true))))
        {
            string drops = _limit is { } limit
                ? $"The queue drops it after delivery {limit + 1L}"
                : $"A quorum queue drops a message that exceeds its delivery limit, from RabbitMQ 4 on {Usual} by default,";
            string text = $"A message of queue {options.Queue} is on delivery {message.DeliveryCount}. {drops} unless it has a dead-letter exchange. "
                + "Set dead-letter-exchange, or a higher delivery-limit, in a policy for the queue.";
            _seen = Tuple.Create(text, time.GetTimestamp());
            log.DeliveryLimit(text);
        }
    }
}
