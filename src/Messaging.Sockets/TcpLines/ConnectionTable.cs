using System.Net;

namespace Quayside.Messaging.Sockets.TcpLines;

/// <summary>The open connections, counted in total and per address. Threads: any.</summary>
internal sealed class ConnectionTable(int limit, int limitPerAddress)
{
    /// <summary>Why a connection is refused: there are too many.</summary>
    public const string TotalLimit = "total-limit";

    /// <summary>Why a connection is refused: its address has too many.</summary>
    public const string AddressLimit = "address-limit";

    private readonly Lock _gate = new();

    // With the address by which the connection is counted; null while it is not known.
    private readonly Dictionary<LineConnection, IPAddress?> _connections = [];
    private readonly Dictionary<IPAddress, int> _byAddress = [];

    public int Count
    {
        get
        {
            lock (_gate)
            {
                return _connections.Count;
            }
        }
    }

    /// <summary>Adds a connection, counted by its address.</summary>
    /// <returns>Null, or why it is refused.</returns>
    public string? TryAdd(LineConnection connection)
    {
        lock (_gate)
        {
            if (_byAddress.GetValueOrDefault(connection.Address) >= limitPerAddress)
            {
                return AddressLimit;
            }

            return TryAddUncounted(connection) ?? (TryCount(connection) ? null : AddressLimit);
        }
    }

    /// <summary>Adds a connection whose address a proxy is still to state.</summary>
    /// <returns>Null, or why it is refused.</returns>
    public string? TryAddUncounted(LineConnection connection)
    {
        lock (_gate)
        {
            return _connections.Count < limit && _connections.TryAdd(connection, null) ? null : TotalLimit;
        }
    }

    /// <summary>Counts a connection by its address.</summary>
    /// <returns>False when its address has too many.</returns>
    public bool TryCount(LineConnection connection)
    {
        lock (_gate)
        {
            IPAddress address = connection.Address;
            int ofAddress = _byAddress.GetValueOrDefault(address);
            if (ofAddress >= limitPerAddress)
            {
                return false;
            }

            _connections[connection] = address;
            _byAddress[address] = ofAddress + 1;
            return true;
        }
    }

    public void Remove(LineConnection connection)
    {
        lock (_gate)
        {
            if (_connections.Remove(connection, out IPAddress? address) && address is not null && --_byAddress[address] is 0)
            {
                _byAddress.Remove(address);
            }
        }
    }

    /// <summary>A copy of the current connections.</summary>
    public LineConnection[] Snapshot()
    {
        lock (_gate)
        {
            return [.. _connections.Keys];
        }
    }
}
