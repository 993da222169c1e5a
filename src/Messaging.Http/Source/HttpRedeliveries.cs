using System.Security.Cryptography;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Http.Source;

/// <summary>
/// Counts the deliveries of messages that were answered 503, so that a message that can never succeed becomes a dead letter in the end. Messages with the
/// same id and the same bytes count as one. A message sent again before its Retry-After has passed is not another delivery. The count ends after a day or
/// with the process, and the oldest messages are forgotten first. Threads: any. Costs nothing while empty.
/// </summary>
internal sealed class HttpRedeliveries(TimeProvider time, int capacity = HttpRedeliveries.DefaultCapacity)
{
    /// <summary>So many messages are remembered for certain, and at most twice as many; about 80 bytes each.</summary>
    public const int DefaultCapacity = 10_000;

    /// <summary>How long a message is remembered after its last delivery.</summary>
    public static readonly TimeSpan Lifetime = TimeSpan.FromDays(1);

    private readonly Lock _gate = new();

    // Two generations: when the younger one is full, the older one is dropped and the younger takes its place.
    private Dictionary<UInt128, Redelivery> _young = [];
    private Dictionary<UInt128, Redelivery> _old = [];
    private volatile bool _any;

    /// <summary>The number of this delivery of the message, at least 1.</summary>
    /// <param name="id">The message's id.</param>
    /// <param name="body">Its bytes.</param>
    /// <param name="first">The time of its first delivery; null when this is the first.</param>
    public int Count(ReadOnlySpan<byte> id, ReadOnlySpan<byte> body, out DateTimeOffset? first)
    {
        first = null;
        if (!_any)
        {
            return 1;
        }

        UInt128 key = KeyOf(id, body);
        DateTimeOffset now = time.GetUtcNow();
        lock (_gate)
        {
            if ((!_young.TryGetValue(key, out Redelivery last) && !_old.TryGetValue(key, out last)) || now >= last.RetryAt + Lifetime)
            {
                return 1;
            }

            first = last.First;
            return now >= last.RetryAt ? last.Delivery + 1 : last.Delivery;
        }
    }

    /// <summary>Records a settlement. The delay of an abandoned message is the caller's Retry-After; the first delivery is now if it is not given.</summary>
    public void Settled(ReadOnlySpan<byte> id, ReadOnlySpan<byte> body, int delivery, in Settlement settlement, DateTimeOffset? first = null)
    {
        bool isAbandoned = settlement.Kind == SettlementKind.Abandon;
        if (!isAbandoned && !_any)
        {
            return;
        }

        UInt128 key = KeyOf(id, body);
        lock (_gate)
        {
            _old.Remove(key);
            if (isAbandoned)
            {
                TimeSpan wait = TimeSpan.FromSeconds(HttpAnswers.RetryAfterSeconds(settlement.Delay));
                _young[key] = new Redelivery(delivery, time.GetUtcNow() + wait, first ?? time.GetUtcNow());
                if (_young.Count >= capacity)
                {
                    (_old, _young) = (_young, _old);
                    _young.Clear();
                }
            }
            else
            {
                _young.Remove(key);
            }

            _any = _young.Count + _old.Count > 0;
        }
    }

    private static UInt128 KeyOf(ReadOnlySpan<byte> id, ReadOnlySpan<byte> body)
    {
        Span<byte> text = stackalloc byte[MessageIds.MaxLength + SHA256.HashSizeInBytes];
        id.CopyTo(text);
        SHA256.HashData(body, text[id.Length..]);
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(text[..(id.Length + SHA256.HashSizeInBytes)], hash);
        return System.Buffers.Binary.BinaryPrimitives.ReadUInt128BigEndian(hash);
    }

    /// <summary>The last delivery of a message that was answered 503.</summary>
    /// <param name="Delivery">Its number, from 1.</param>
    /// <param name="RetryAt">When the caller may send it again.</param>
    /// <param name="First">When the worker first received it.</param>
    private readonly record struct Redelivery(int Delivery, DateTimeOffset RetryAt, DateTimeOffset First);
}
