using System.Buffers.Binary;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Text.RegularExpressions;
using Quayside.Messaging.Sources.Proxies;

namespace Proof.Fuzz.Targets;

/// <summary>The header of the PROXY protocol under every prefix, beside a twin made of regular expressions.</summary>
internal sealed partial class ProxyTarget : FuzzTarget
{
    private const string Signature = "\r\n\r\n\0\r\nQUIT\n";

    public override IReadOnlyList<Type> Parser { get; } = [typeof(ProxyHeader)];

    public override IReadOnlyList<byte[]> Corpus { get; } =
    [
        .. Texts.Utf8("PROXY TCP4 192.0.2.1 192.0.2.2 51000 9082\r\n{}", "PROXY TCP6 2001:db8::1 ::1 0 65535\r\n", "PROXY UNKNOWN\r\n", "PROXY UNKNOWN x y\r\n{}", "PROXY TCP6 ::ffff:1.2.3.4 ::1 1 2\r\n", "PROXY " + new string('x', 101), "{}\n", ""),
        Binary("\x21\x11\0\x0c\n\0\0\x01\n\0\0\x02\x12\x34\x56\x78{}"), Binary("\x21\x21\0\x24" + new string('a', 36)), Binary("\x20\0\0\0"), Binary("\x21\x31\0\xd8" + new string('u', 216)),
        Binary("\x21\x11\0\x13abcdefghijkl\x04\0\x04xxxx"), Binary("\x21\x11\0\x0b"), Binary("\x22\x11\0\x0c"), Binary("\x21\x11\xff\xff" + new string('z', 60)),
    ];

    public override IReadOnlyList<byte[]> Dictionary { get; } =
        [.. Texts.Utf8("PROXY ", "TCP4", "TCP6", "UNKNOWN", "\r\n", " ", "192.0.2.1", "::1", "65535", "65536", "0", "01"), Binary(string.Empty), [0x21, 0x11], [0x20], [0x21, 0x21], [0, 12], [0, 36], [255, 255]];

    public override int Run(ReadOnlyMemory<byte> input)
    {
        string expected = Expect(input.Span);
        FuzzException.ThrowIfDifferent(Read(input.Span), expected, "header");

        // Each prefix either waits for more bytes or decides as the whole does.
        string decided = string.Empty;
        for (int length = 0; length <= input.Length && length <= ProxyHeader.LongestDecisive && decided.Length == 0; length++)
        {
            string read = Read(input.Span[..length]);
            decided = read == nameof(ProxyHeaderKind.Undecided) ? string.Empty : read;
            FuzzException.ThrowUnless(length < ProxyHeader.LongestDecisive || decided.Length > 0, "it waits for more bytes than it needs");
        }

        FuzzException.ThrowIfDifferent(decided.Length == 0 ? nameof(ProxyHeaderKind.Undecided) : decided, expected, "header, byte by byte");
        return HashCode.Combine(expected[..3], Scale(input.Length), expected.Contains(':', StringComparison.Ordinal));
    }

    private static string Read(ReadOnlySpan<byte> bytes) => Describe(ProxyHeader.Read(bytes, out int length, out IPEndPoint? source), length, source);

    private static string Describe(ProxyHeaderKind kind, int length, IPEndPoint? source) =>
        kind == ProxyHeaderKind.Complete ? string.Create(CultureInfo.InvariantCulture, $"{kind} {length} {source}") : kind.ToString();

    private static string Expect(ReadOnlySpan<byte> bytes)
    {
        string text = Encoding.Latin1.GetString(bytes);
        return text.StartsWith("PROXY ", StringComparison.Ordinal) ? ExpectText(text)
            : text.StartsWith(Signature, StringComparison.Ordinal) ? ExpectBinary(bytes)
            : "PROXY ".StartsWith(text, StringComparison.Ordinal) || Signature.StartsWith(text, StringComparison.Ordinal) ? nameof(ProxyHeaderKind.Undecided)
            : nameof(ProxyHeaderKind.Invalid);
    }

    private static string ExpectText(string text)
    {
        int end = text[..Math.Min(text.Length, 107)].IndexOf("\r\n", StringComparison.Ordinal);
        if (end < 0)
        {
            return (text.Length < 107 ? ProxyHeaderKind.Undecided : ProxyHeaderKind.Invalid).ToString();
        }

        string line = text[..end];
        if (UnknownHeader().IsMatch(line))
        {
            return Describe(ProxyHeaderKind.Complete, end + 2, null);
        }

        Match match = TextHeader().Match(line);
        return match.Success
            && ParseAddress(match.Groups["family"].Value, match.Groups["source"].Value) is { } source && ParseAddress(match.Groups["family"].Value, match.Groups["target"].Value) is not null
            && int.Parse(match.Groups["port"].Value, CultureInfo.InvariantCulture) is var port and <= 65_535 && int.Parse(match.Groups["other"].Value, CultureInfo.InvariantCulture) <= 65_535
            ? Describe(ProxyHeaderKind.Complete, end + 2, new IPEndPoint(source.IsIPv4MappedToIPv6 ? source.MapToIPv4() : source, port))
            : nameof(ProxyHeaderKind.Invalid);
    }

    private static IPAddress? ParseAddress(string family, string text) =>
        family == "4" ? DottedQuad().IsMatch(text) && IPAddress.TryParse(text, out IPAddress? four) ? four : null
        : HexGroups().IsMatch(text) && IPAddress.TryParse(text, out IPAddress? six) && six.AddressFamily == AddressFamily.InterNetworkV6 ? six : null;

    private static string ExpectBinary(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length > 12 && bytes[12] is not (0x20 or 0x21))
        {
            return nameof(ProxyHeaderKind.Invalid);
        }

        if (bytes.Length < 16)
        {
            return nameof(ProxyHeaderKind.Undecided);
        }

        int rest = BinaryPrimitives.ReadUInt16BigEndian(bytes[14..]);
        int address = bytes[12] == 0x20 ? 0 : bytes[13] switch { 0x11 => 4, 0x21 => 16, _ => 0 };
        int needed = address == 0 ? 0 : (2 * address) + 4;
        if (rest < needed)
        {
            return nameof(ProxyHeaderKind.Invalid);
        }

        if (bytes.Length < 16 + needed)
        {
            return nameof(ProxyHeaderKind.Undecided);
        }

        IPAddress? source = address == 0 ? null : new IPAddress(bytes.Slice(16, address));
        source = source is { IsIPv4MappedToIPv6: true } ? source.MapToIPv4() : source;
        return Describe(ProxyHeaderKind.Complete, 16 + rest, source is null ? null : new IPEndPoint(source, BinaryPrimitives.ReadUInt16BigEndian(bytes[(16 + (2 * address))..])));
    }

    private static byte[] Binary(string rest) => Encoding.Latin1.GetBytes(Signature + rest);

    [GeneratedRegex(@"^PROXY UNKNOWN( .*)?\z", RegexOptions.Singleline | RegexOptions.ExplicitCapture)]
    private static partial Regex UnknownHeader();

    [GeneratedRegex(@"^PROXY TCP(?<family>[46]) (?<source>[^ ]+) (?<target>[^ ]+) (?<port>0|[1-9][0-9]{0,4}) (?<other>0|[1-9][0-9]{0,4})\z", RegexOptions.Singleline | RegexOptions.ExplicitCapture)]
    private static partial Regex TextHeader();

    [GeneratedRegex(@"^(0|[1-9][0-9]{0,2})(\.(0|[1-9][0-9]{0,2})){3}\z", RegexOptions.ExplicitCapture)]
    private static partial Regex DottedQuad();

    [GeneratedRegex(@"^[0-9A-Fa-f:.]+\z")]
    private static partial Regex HexGroups();
}
