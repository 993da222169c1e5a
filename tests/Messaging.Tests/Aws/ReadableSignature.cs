using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;
using Quayside.Messaging.Aws;

namespace Messaging.Tests.Aws;

/// <summary>The reference for the worker's signatures: SigV4 as in the IAM user guide, one line per step, for path and query in canonical form.</summary>
internal static partial class ReadableSignature
{
    public static string Authorization(
        string service, string region, string method, string path, string query, IEnumerable<(string Name, string Value)> headers, byte[] body, string date,
        SigningCredentials credentials)
    {
        string canonical = Canonical(method, path, query, headers, Hex(SHA256.HashData(body)), out string names);
        string scope = $"{date[..8]}/{region}/{service}/aws4_request";
        string toSign = $"AWS4-HMAC-SHA256\n{date}\n{scope}\n{Hex(SHA256.HashData(Encoding.UTF8.GetBytes(canonical)))}";
        byte[] key = scope
            .Split('/')
            .Aggregate(Encoding.UTF8.GetBytes("AWS4" + credentials.SecretAccessKey), (key, part) => HMACSHA256.HashData(key, Encoding.UTF8.GetBytes(part)));
        return $"AWS4-HMAC-SHA256 Credential={credentials.AccessKeyId}/{scope}, SignedHeaders={names}, "
            + $"Signature={Hex(HMACSHA256.HashData(key, Encoding.UTF8.GetBytes(toSign)))}";
    }

    public static string Canonical(string method, string path, string query, IEnumerable<(string Name, string Value)> headers, string hash, out string names)
    {
        (string Name, string Value)[] sorted =
            [.. headers
                .Select(header => (header.Name.ToLowerInvariant(), Blanks().Replace(header.Value.Trim(), " ")))
                .OrderBy(header => header.Item1, StringComparer.Ordinal)];
        names = string.Join(';', sorted.Select(header => header.Name));
        return $"{method}\n{path}\n{query}\n{string.Concat(sorted.Select(header => $"{header.Name}:{header.Value}\n"))}\n{names}\n{hash}";
    }

    private static string Hex(byte[] bytes) => Convert.ToHexStringLower(bytes);

    [GeneratedRegex(@"\s+")]
    private static partial Regex Blanks();
}
