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
}
