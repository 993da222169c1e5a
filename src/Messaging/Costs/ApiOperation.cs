namespace Messaging.Costs;

/// <summary>
/// An operation of a service that may charge for it. The integration that calls it declares it once, in a static field; two of one
/// name are counted apart. Threads: any.
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

    /// <summary>True for a call that finds what the route works on: there are as many for one message as for a million, so reports keep them apart.</summary>
    public bool IsLookup { get; init; }

    /// <summary>Bytes of payload that are billed as one request, each begun one counting; 0 when a call is one request whatever it carries.</summary>
    public int BilledBytes { get; init; }

    /// <summary>The index of its counters.</summary>
    internal int Index { get; } = Interlocked.Increment(ref _declared);

    /// <summary>Requests that a call with this payload is billed as; at least 1.</summary>
    public long RequestsFor(long payloadBytes) => BilledBytes == 0 ? 1 : Math.Max(1, (payloadBytes + BilledBytes - 1) / BilledBytes);

    /// <inheritdoc/>
    public override string ToString() => $"{Service} {Name}";
}
