using System.Globalization;
using System.Security.Cryptography;
using System.Text;

namespace Benchmarks.Aws.Wire;

/// <summary>Signature Version 4 as a competent developer writes it: strings, the derived key kept for the day, nothing pooled.</summary>
internal sealed class SimpleSigner(string service, string accessKey, string secretKey, string region)
{
    private const string SignedHeaders = "host;x-amz-content-sha256;x-amz-date";

    // Replaced as a whole by any thread that finds it out of date.
    private Derived? _derived;

    /// <summary>Adds the headers that sign a request with these bytes.</summary>
    public void Sign(HttpRequestMessage request, byte[] body, DateTimeOffset now)
    {
        string day = now.UtcDateTime.ToString("yyyyMMdd", CultureInfo.InvariantCulture);
        string time = now.UtcDateTime.ToString("yyyyMMdd'T'HHmmss'Z'", CultureInfo.InvariantCulture);
        string hash = Convert.ToHexStringLower(SHA256.HashData(body));
        Uri address = request.RequestUri!;
        string canonical = $"{request.Method.Method}\n{address.AbsolutePath}\n\nhost:{address.Authority}\nx-amz-content-sha256:{hash}\nx-amz-date:{time}\n\n"
            + $"{SignedHeaders}\n{hash}";
        string scope = $"{day}/{region}/{service}/aws4_request";
        string toSign = $"AWS4-HMAC-SHA256\n{time}\n{scope}\n{Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(canonical)))}";
        string signature = Convert.ToHexStringLower(Mac(DerivedKey(day), toSign));
        request.Headers.TryAddWithoutValidation("x-amz-content-sha256", hash);
        request.Headers.TryAddWithoutValidation("x-amz-date", time);
        request.Headers.TryAddWithoutValidation(
            "Authorization", $"AWS4-HMAC-SHA256 Credential={accessKey}/{scope}, SignedHeaders={SignedHeaders}, Signature={signature}");
    }

    private static byte[] Mac(byte[] key, string text) => HMACSHA256.HashData(key, Encoding.UTF8.GetBytes(text));

    private byte[] DerivedKey(string day)
    {
        Derived? derived = _derived;
        if (derived?.Day != day)
        {
            byte[] secret = Encoding.UTF8.GetBytes($"AWS4{secretKey}");
            _derived = derived = new Derived(day, Mac(Mac(Mac(Mac(secret, day), region), service), "aws4_request"));
        }

        return derived.Key;
    }

    private sealed record Derived(string Day, byte[] Key);
}
