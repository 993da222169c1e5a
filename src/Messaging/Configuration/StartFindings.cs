using System.Net;
using System.Net.NetworkInformation;
using System.Net.Sockets;

namespace Quayside.Messaging.Configuration;

/// <summary>What a start on this machine would be refused for, found without a start, and what only a start can find out. Threads: one at a time.</summary>
public sealed class StartFindings
{
    private readonly Findings _problems = [];
    private readonly Findings _leftToStart = [];

    internal StartFindings()
    {
    }

    /// <summary>The problems: one line each, which names the part, what is wrong and what to do.</summary>
    public IReadOnlyList<string> Problems => _problems.Lines;

    /// <summary>What was not checked, because it needs a connection: one line each, which names the part.</summary>
    public IReadOnlyList<string> LeftToStart => _leftToStart.Lines;

    /// <summary>The part that is being checked, such as <c>Route orders, sink S3</c>; empty outside a route.</summary>
    internal string Part { get; set; } = string.Empty;

    internal int Count => _problems.Count + _leftToStart.Count;

    /// <summary>Reports a setting for which the start would be refused.</summary>
    /// <param name="key">The full key.</param>
    /// <param name="value">Its value; null when there is none, or when it must not be shown.</param>
    /// <param name="problem">What is wrong and what is allowed.</param>
    /// <param name="consequence">What would go wrong; may be null.</param>
    public void Fail(string key, string? value, string problem, string? consequence = null) =>
        Fail(new ConfigurationError(key, value, problem, consequence).ToString());

    /// <summary>Reports a problem that is not one of a single setting.</summary>
    public void Fail(string problem) => _problems.Add(problem, Part);

    /// <summary>Reports what only the start can find out, as it needs a connection.</summary>
    public void LeaveToStart(string question) => _leftToStart.Add(question, Part);

    /// <summary>Reports an address to listen on that this machine does not have. Says nothing about the port, which may be free later.</summary>
    /// <param name="key">The full key.</param>
    /// <param name="value">Its value.</param>
    /// <param name="address">The address in it.</param>
    public void FailUnlessLocal(string key, string value, IPAddress address)
    {
        if (!IsLocal(address))
        {
            Fail(key, value, $"must be an address of this machine, and it has no {address}.", "The worker could not listen there.");
        }
    }

    private static bool IsLocal(IPAddress address)
    {
        if (address.AddressFamily == AddressFamily.InterNetworkV6 && !Socket.OSSupportsIPv6)
        {
            return false;
        }

        // Datagrams can be received at multicast and broadcast addresses, which no interface lists.
        bool isGroup = address.IsIPv6Multicast || (address.AddressFamily == AddressFamily.InterNetwork && address.GetAddressBytes()[0] >= 224);
        return isGroup || IPAddress.IsLoopback(address) || address.Equals(IPAddress.Any) || address.Equals(IPAddress.IPv6Any) || MayBeBound(address);
    }

    private static bool MayBeBound(IPAddress address)
    {
        try
        {
            byte[] bytes = address.GetAddressBytes();
            return NetworkInterface.GetAllNetworkInterfaces().Any(network => network.GetIPProperties().UnicastAddresses.Any(own => own.Address.GetAddressBytes().AsSpan().SequenceEqual(bytes)))
                || AllowsForeignAddresses(address);
        }
        catch (NetworkInformationException)
        {
            // The addresses are unknown, as in some sandboxes.
            return true;
        }
    }

    // ip(7), ip_nonlocal_bind.
    private static bool AllowsForeignAddresses(IPAddress address)
    {
        string file = $"/proc/sys/net/{(address.AddressFamily == AddressFamily.InterNetwork ? "ipv4" : "ipv6")}/ip_nonlocal_bind";
        return File.Exists(file) && File.ReadAllText(file).Trim() == "1";
    }

    /// <summary>Texts with the parts that they concern: routes often share a folder, a region or a mistake.</summary>
    private sealed class Findings : OrderedDictionary<string, List<string>>
    {
        public IReadOnlyList<string> Lines => [.. this.Select(finding => finding.Value.Count == 0 ? finding.Key : $"{string.Join("; ", finding.Value)}: {finding.Key}")];

        public void Add(string text, string part)
        {
            if (!TryGetValue(text, out List<string>? parts))
            {
                parts = [];
                Add(text, parts);
            }

            if (part.Length > 0 && !parts.Contains(part))
            {
                parts.Add(part);
            }
        }
    }
}

/// <summary>
/// A service whose start can be refused for a reason that is visible before: <c>validate</c> asks every one in the container. The parts of a route have
/// the property <c>CheckBeforeStart</c> of their plans instead.
/// </summary>
public interface IStartCheck
{
    /// <summary>Reports what a start on this machine would be refused for. Opens no connection and no port, and creates and changes nothing.</summary>
    void Check(StartFindings findings);
}
