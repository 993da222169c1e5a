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

    private readonly HashSet<LineConnection> _connections = [];
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
            int ofAddress = _byAddress.GetValueOrDefault(connection.Address);
            if (ofAddress >= limitPerAddress)
            {
                return AddressLimit;
            }

            if (_connections.Count >= limit)
            {
                return TotalLimit;
            }

            _connections.Add(connection);
            _byAddress[connection.Address] = ofAddress + 1;
            return null;
        }
    }

    public void Remove(LineConnection connection)
    {
        lock (_gate)
        {
            if (_connections.Remove(connection) && --_byAddress[connection.Address] is 0)
            {
                _byAddress.Remove(connection.Address);
            }
        }
    }

    /// <summary>A copy of the current connections.</summary>
    public LineConnection[] Snapshot()
    {
        lock (_gate)
        {
            return [.. _connections];
        }
    }
}
