using System.Text;
using Pipeline.Buffers;

namespace Messaging.Aws.S3.Sink.Direct;

/// <summary>
/// Writes the canonical request of a PUT from prepared parts: the settings determine the headers' names, their order and nearly all
/// values. Threads: any.
/// </summary>
internal sealed class PutCanonicalRequest
{
    public const string Checksum = "x-amz-checksum-sha256";
    public const string ContentHash = "x-amz-content-sha256";
    public const string Date = "x-amz-date";
    public const string Token = "x-amz-security-token";

    private readonly byte[] _before;
    private readonly byte[] _after;
    private readonly byte[] _names;
    private readonly byte[] _namesWithToken;
    private readonly bool _checksum;

    /// <summary>Prepares the parts from the headers whose values never change, given in any order.</summary>
    public PutCanonicalRequest(ReadOnlySpan<SigV4Header> constant, bool checksum)
    {
        _checksum = checksum;
        SigV4Header[] sorted = constant.ToArray();
        Array.Sort(sorted, SigV4Header.Compare);

        // The changing headers (checksum, hash, date, token) are adjacent in the order of names.
        _before = Lines(sorted, sign: -1);
        _after = Lines(sorted, sign: 1);
        string[] changing = checksum ? [Checksum, ContentHash, Date] : [ContentHash, Date];
        _names = Names([.. sorted, .. changing.Select(name => new SigV4Header(name, string.Empty))]);
        _namesWithToken = Names([.. sorted, .. changing.Append(Token).Select(name => new SigV4Header(name, string.Empty))]);
    }

    /// <summary>The names of the signed headers, in lower case, separated by semicolons.</summary>
    public ReadOnlySpan<byte> SignedNames(bool withToken) => withToken ? _namesWithToken : _names;

    /// <summary>Appends the canonical request. The hash is 64 lower-case hex digits; the checksum is empty when none is sent.</summary>
    public void Write(PooledBuffer output, ReadOnlySpan<char> path, ReadOnlySpan<byte> hash, string date, string checksum, string? token)
    {
        output.Append("PUT\n"u8);
        output.Advance(Encoding.ASCII.GetBytes(path, output.GetSpan(path.Length)));
        output.Append("\n\n"u8);
        output.Append(_before);
        if (_checksum)
        {
            AppendLine(output, "x-amz-checksum-sha256:"u8, checksum);
        }

        output.Append("x-amz-content-sha256:"u8);
        output.Append(hash);
        AppendLine(output, "\nx-amz-date:"u8, date);
        if (token is not null)
        {
            AppendLine(output, "x-amz-security-token:"u8, token);
        }

        output.Append(_after);
        output.Append("\n"u8);
        output.Append(SignedNames(token is not null));
        output.Append("\n"u8);
        output.Append(hash);
    }

    private static byte[] Lines(SigV4Header[] sorted, int sign)
    {
        using PooledBuffer buffer = BufferPool.Shared.Rent();
        SigV4Canonical.AppendHeaders(buffer, [.. sorted.Where(header => Math.Sign(string.CompareOrdinal(header.Name.ToLowerInvariant(), ContentHash)) == sign)]);
        return buffer.WrittenSpan.ToArray();
    }

    private static byte[] Names(SigV4Header[] headers)
    {
        Array.Sort(headers, SigV4Header.Compare);
        using PooledBuffer buffer = BufferPool.Shared.Rent();
        SigV4Canonical.AppendHeaderNames(buffer, headers);
        return buffer.WrittenSpan.ToArray();
    }

    private static void AppendLine(PooledBuffer output, ReadOnlySpan<byte> name, string value)
    {
        output.Append(name);
        output.Advance(Encoding.UTF8.GetBytes(value, output.GetSpan(Encoding.UTF8.GetMaxByteCount(value.Length))));
        output.Append("\n"u8);
    }
}
