using System.Buffers;
using System.Buffers.Binary;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Quayside.Messaging.Sources.Proxies;

/// <summary>
/// Reads the header of the PROXY protocol, versions 1 and 2 (haproxy.org, proxy-protocol.txt), which a load balancer sends before the sender's own bytes.
/// It takes no memory beyond the bytes given: a caller needs at most <see cref="LongestDecisive"/> of them. Threads: any.
/// </summary>
public static class ProxyHeader
{
    /// <summary>With this many bytes of a connection, <see cref="Read"/> never answers <see cref="ProxyHeaderKind.Undecided"/>.</summary>
    public const int LongestDecisive = LongestText;

    // "PROXY UNKNOWN ffff:f...f:ffff ffff:f...f:ffff 65535 65535\r\n".
    private const int LongestText = 107;

    // The signature, the version with the command, the family, the length.
    private const int BinaryLength = 16;

    private const int AddressesLength4 = 12;
    private const int AddressesLength6 = 36;

    private static readonly SearchValues<char> Digits = SearchValues.Create("0123456789ABCDEFabcdef:.");

    private static ReadOnlySpan<byte> Text => "PROXY "u8;

    private static ReadOnlySpan<byte> Signature => "\r\n\r\n\0\r\nQUIT\n"u8;

    /// <summary>Reads the header from the first bytes of a connection.</summary>
    /// <param name="bytes">The first bytes, all that have arrived or the first <see cref="LongestDecisive"/>.</param>
    /// <param name="length">The length of the whole header, its extensions included; it may be longer than <paramref name="bytes"/>, and the rest is to be skipped.</param>
    /// <param name="source">The sender as the proxy states it; null when it states none (UNKNOWN, LOCAL, a Unix socket).</param>
    public static ProxyHeaderKind Read(ReadOnlySpan<byte> bytes, out int length, out IPEndPoint? source)
    {
        length = 0;
        source = null;
        return IsPrefix(bytes, Text) ? ReadText(bytes, out length, out source)
            : IsPrefix(bytes, Signature) ? ReadBinary(bytes, out length, out source)
            : ProxyHeaderKind.Invalid;
    }

    private static bool IsPrefix(ReadOnlySpan<byte> bytes, ReadOnlySpan<byte> start) =>
        bytes.Length < start.Length ? start.StartsWith(bytes) : bytes.StartsWith(start);

    private static ProxyHeaderKind ReadText(ReadOnlySpan<byte> bytes, out int length, out IPEndPoint? source)
    {
        length = 0;
        source = null;
        ReadOnlySpan<byte> line = bytes[..Math.Min(bytes.Length, LongestText)];
        int end = line.IndexOf("\r\n"u8);
        if (end < 0)
        {
            return bytes.Length < LongestText ? ProxyHeaderKind.Undecided : ProxyHeaderKind.Invalid;
        }

        length = end + 2;
        string[] words = Encoding.Latin1.GetString(line[Text.Length..end]).Split(' ');
        if (words[0] == "UNKNOWN")
        {
            return ProxyHeaderKind.Complete;
        }

        AddressFamily family = words[0] == "TCP4" ? AddressFamily.InterNetwork : words[0] == "TCP6" ? AddressFamily.InterNetworkV6 : AddressFamily.Unspecified;
        if (words.Length != 5
            || ParseAddress(words[1], family) is not { } address || ParseAddress(words[2], family) is null
            || ParsePort(words[3]) is not { } port || ParsePort(words[4]) is null)
        {
            return ProxyHeaderKind.Invalid;
        }

        source = new IPEndPoint(address, port);
        return ProxyHeaderKind.Complete;
    }

    private static ProxyHeaderKind ReadBinary(ReadOnlySpan<byte> bytes, out int length, out IPEndPoint? source)
    {
        length = 0;
        source = null;
        if (bytes.Length <= Signature.Length)
        {
            return ProxyHeaderKind.Undecided;
        }

        // Version 2, and the command LOCAL or PROXY.
        byte command = bytes[Signature.Length];
        if (command is not (0x20 or 0x21))
        {
            return ProxyHeaderKind.Invalid;
        }

        if (bytes.Length < BinaryLength)
        {
            return ProxyHeaderKind.Undecided;
        }

        int rest = BinaryPrimitives.ReadUInt16BigEndian(bytes[(BinaryLength - sizeof(ushort))..]);

        // TCP over IPv4 and IPv6; other families have no address that means anything here.
        byte family = bytes[Signature.Length + 1];
        int addresses = command == 0x20 ? 0 : family == 0x11 ? AddressesLength4 : family == 0x21 ? AddressesLength6 : 0;
        if (rest < addresses)
        {
            return ProxyHeaderKind.Invalid;
        }

        if (bytes.Length < BinaryLength + addresses)
        {
            return ProxyHeaderKind.Undecided;
        }

        length = BinaryLength + rest;
        if (addresses > 0)
        {
            ReadOnlySpan<byte> given = bytes.Slice(BinaryLength, addresses);
            int size = (addresses - (2 * sizeof(ushort))) / 2;
            IPAddress address = new(given[..size]);
            source = new IPEndPoint(address.IsIPv4MappedToIPv6 ? address.MapToIPv4() : address, BinaryPrimitives.ReadUInt16BigEndian(given[(2 * size)..]));
        }

        return ProxyHeaderKind.Complete;
    }

    // IPAddress also reads "1", "0x7f.1", zones and brackets, which the protocol forbids.
    private static IPAddress? ParseAddress(string text, AddressFamily family) =>
        IPAddress.TryParse(text, out IPAddress? address) && address.AddressFamily == family
            && (family == AddressFamily.InterNetwork ? string.Equals(text, address.ToString(), StringComparison.Ordinal) : !text.AsSpan().ContainsAnyExcept(Digits))
            ? address.IsIPv4MappedToIPv6 ? address.MapToIPv4() : address
            : null;

    // ushort also reads leading zeros and NULs at the end.
    private static ushort? ParsePort(string text) =>
        ushort.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out ushort port) && text == port.ToString(CultureInfo.InvariantCulture) ? port : null;
}

/// <summary>What <see cref="ProxyHeader.Read"/> found.</summary>
public enum ProxyHeaderKind
{
    /// <summary>More bytes decide.</summary>
    Undecided = 0,

    /// <summary>A whole header, but for extensions that are skipped.</summary>
    Complete,

    /// <summary>No header.</summary>
    Invalid,
}
