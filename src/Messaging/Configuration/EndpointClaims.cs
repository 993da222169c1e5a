using System.Net;
using System.Net.Sockets;

namespace Quayside.Messaging.Configuration;

/// <summary>The endpoints that the configuration makes the worker listen on. Two that overlap cannot both be opened.</summary>
internal sealed class EndpointClaims
{
    private readonly List<(string Protocol, IPEndPoint Endpoint, string Owner)> _claims = [];

    /// <summary>Claims an endpoint. Port 0 never overlaps: the system assigns a free port each time.</summary>
    /// <param name="protocol">tcp or udp.</param>
    /// <param name="endpoint">Address and port.</param>
    /// <param name="owner">The part that listens there, for error messages.</param>
    /// <returns>The owner of an earlier claim that overlaps, and its endpoint; null when there is none.</returns>
    public (string Owner, IPEndPoint Endpoint)? Add(string protocol, IPEndPoint endpoint, string owner)
    {
        if (endpoint.Port == 0)
        {
            return null;
        }

        foreach ((string other, IPEndPoint taken, string by) in _claims)
        {
            if (other == protocol && taken.Port == endpoint.Port && Overlap(Plain(taken.Address), Plain(endpoint.Address)))
            {
                return (by, taken);
            }
        }

        _claims.Add((protocol, endpoint, owner));
        return null;
    }

    private static bool Overlap(IPAddress left, IPAddress right) => left.Equals(right) || Includes(left, right) || Includes(right, left);

    // The worker's sockets on [::] accept IPv4 too.
    private static bool Includes(IPAddress all, IPAddress one) =>
        all.Equals(IPAddress.IPv6Any) || (all.Equals(IPAddress.Any) && one.AddressFamily == AddressFamily.InterNetwork);

    private static IPAddress Plain(IPAddress address) => address.IsIPv4MappedToIPv6 ? address.MapToIPv4() : address;
}
