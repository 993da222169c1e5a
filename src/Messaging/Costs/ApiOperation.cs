namespace Messaging.Costs;

/// <summary>
/// An operation of a service that may charge for it. The integration that calls it declares it once, in a static field; two with
/// the same name are counted separately. Threads: any.
/// </summary>
/// <param name="service">The service, as reports name it, such as <c>S3</c>.</param>
/// <param name="name">The operation, as in the service's API reference, such as <c>PutObject</c>.</param>
public sealed class ApiOperation(string service, string name)
{
    private static int _declared = -1;

    /// <summary>The service.</summary>
    public string Service { get; } = service;

    /// <summary>The operation.</summary>
    public string Name { get; } = name;

    /// <summary>True for a call that finds a queue or bucket of the route. Their number does not depend on the number of messages, so reports list them separately.</summary>
    public bool IsLookup { get; init; }

    /// <summary>Bytes of payload that are billed as one request, rounded up; 0 when a call is one request whatever its size.</summary>
    public int BilledBytes { get; init; }

    /// <summary>The index of its counters.</summary>
    internal int Index { get; } = Interlocked.Increment(ref _declared);

    /// <summary>Requests that a call with this payload is billed as; at least 1.</summary>
    public long RequestsFor(long payloadBytes) => BilledBytes == 0 ? 1 : Math.Max(1, (payloadBytes + BilledBytes - 1) / BilledBytes);

    /// <inheritdoc/>
    public override string ToString() => $"{Service} {Name}";
}
