namespace Quayside.Messaging.Sockets.TcpLines;

/// <summary>
/// Recognizes the first line of an HTTP request (RFC 9112 section 3): a web page can make the browser post to this port, and the lines of the body would be
/// stored. 0 B.
/// </summary>
internal static class HttpRequestLine
{
    // The longest registered method that browsers send, and the space after it.
    private const int LongestMethod = 8;

    // "GET / HTTP/1.1": method, space, target, space, version.
    private const int VersionLength = 8;

    /// <summary>True for a whole request line, without its line end.</summary>
    public static bool Matches(ReadOnlySpan<byte> line)
    {
        int method = line.IndexOf((byte)' ');
        if (!IsMethod(line, method) || line.Length < method + 1 + 1 + 1 + VersionLength)
        {
            return false;
        }

        ReadOnlySpan<byte> version = line[^VersionLength..];
        return line[^(VersionLength + 1)] == ' '
            && version.StartsWith("HTTP/"u8)
            && char.IsAsciiDigit((char)version[5]) && version[6] == '.' && char.IsAsciiDigit((char)version[7]);
    }

    /// <summary>True for bytes that can begin a request line; for lines that are too long to keep.</summary>
    public static bool Begins(ReadOnlySpan<byte> prefix) => IsMethod(prefix, prefix[..Math.Min(prefix.Length, LongestMethod)].IndexOf((byte)' '));

    private static bool IsMethod(ReadOnlySpan<byte> line, int length) => length >= 3 && !line[..length].ContainsAnyExceptInRange((byte)'A', (byte)'Z');
}
