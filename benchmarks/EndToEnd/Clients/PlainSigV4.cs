using System.Globalization;
using System.Security.Cryptography;
using System.Text;

namespace Benchmarks.EndToEnd.Clients;

/// <summary>Signature Version 4 as one writes it from the documentation: strings, one key kept for the day.</summary>
/// <remarks>https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html</remarks>
internal sealed class PlainSigV4(string service)
{
    private (string Date, byte[] Key) _signingKey = ("", []);

    /// <param name="request">Gets its Authorization; the address must need no further encoding.</param>
    /// <param name="body">What it will send.</param>
    public void Sign(HttpRequestMessage request, byte[] body)
    {
        DateTime now = DateTime.UtcNow;
        string time = now.ToString("yyyyMMdd'T'HHmmss'Z'", CultureInfo.InvariantCulture);
        string date = time[..8];
        string bodyHash = Convert.ToHexStringLower(SHA256.HashData(body));
        Uri uri = request.RequestUri!;
        string host = uri.IsDefaultPort ? uri.Host : $"{uri.Host}:{uri.Port}";

        SortedDictionary<string, string> headers = new(StringComparer.Ordinal)
        {
            ["host"] = host,
            ["x-amz-content-sha256"] = bodyHash,
            ["x-amz-date"] = time,
        };
        foreach ((string name, IEnumerable<string> values) in request.Headers)
        {
            headers[name.ToLowerInvariant()] = string.Join(',', values);
        }

        string signedHeaders = string.Join(';', headers.Keys);
        string canonical = $"{request.Method.Method}\n{uri.AbsolutePath}\n\n{string.Concat(headers.Select(header => $"{header.Key}:{header.Value}\n"))}\n{signedHeaders}\n{bodyHash}";
        string scope = $"{date}/{ClientSettings.Region}/{service}/aws4_request";
        string toSign = $"AWS4-HMAC-SHA256\n{time}\n{scope}\n{Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(canonical)))}";
        string signature = Convert.ToHexStringLower(HMACSHA256.HashData(KeyOf(date), Encoding.UTF8.GetBytes(toSign)));

        request.Headers.TryAddWithoutValidation("x-amz-date", time);
        request.Headers.TryAddWithoutValidation("x-amz-content-sha256", bodyHash);
        request.Headers.TryAddWithoutValidation("Authorization", $"AWS4-HMAC-SHA256 Credential={ClientSettings.AccessKey}/{scope}, SignedHeaders={signedHeaders}, Signature={signature}");
    }

    private byte[] KeyOf(string date)
    {
        (string Date, byte[] Key) known = _signingKey;
        if (known.Date == date)
        {
            return known.Key;
        }

        byte[] key = HMACSHA256.HashData(Encoding.UTF8.GetBytes($"AWS4{ClientSettings.SecretKey}"), Encoding.UTF8.GetBytes(date));
        key = HMACSHA256.HashData(key, Encoding.UTF8.GetBytes(ClientSettings.Region));
        key = HMACSHA256.HashData(key, Encoding.UTF8.GetBytes(service));
        key = HMACSHA256.HashData(key, "aws4_request"u8.ToArray());
        _signingKey = (date, key);
        return key;
    }
}
