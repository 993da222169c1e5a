namespace Integration.Tests.Faults;

/// <summary>What a <see cref="TcpFaultProxy"/> does to the traffic between a client and a server.</summary>
internal abstract record TcpFault
{
    private TcpFault()
    {
    }

    /// <summary>All bytes pass.</summary>
    public sealed record None : TcpFault;

    /// <summary>No listener: connecting is refused, and open connections are reset.</summary>
    public sealed record Refuse : TcpFault;

    /// <summary>Connections are accepted and stay open; no bytes pass in either direction until the fault is changed.</summary>
    public sealed record Hang : TcpFault;

    /// <summary>The client gets the first <paramref name="Bytes"/> of what the server sends after the fault was set, then a reset.</summary>
    public sealed record ResetAfter(int Bytes) : TcpFault;

    /// <summary>
    /// The server gets the request, and the client gets a reset instead of the answer: the server's first byte is taken as
    /// the sign that it has acted. Interim answers (100 Continue) pass, because the client sends the body only after them.
    /// </summary>
    public sealed record DropAnswer : TcpFault;

    /// <summary>The answer comes in pieces of <paramref name="Bytes"/>, one every <paramref name="Interval"/>.</summary>
    public sealed record Drip(int Bytes, TimeSpan Interval) : TcpFault
    {
        public static Drip OneBytePerSecond { get; } = new(1, TimeSpan.FromSeconds(1));
    }

    /// <summary>Each piece of the answer is delayed by this time.</summary>
    public sealed record Delay(TimeSpan Duration) : TcpFault;
}
