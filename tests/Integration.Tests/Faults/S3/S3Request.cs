using System.Security.Cryptography;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.WebUtilities;

namespace Integration.Tests.Faults.S3;

/// <summary>A request read whole, addressed by path (<c>/bucket/key</c>).</summary>
/// <param name="Key">Decoded, with its dot segments; empty for a request to the bucket.</param>
/// <param name="Headers">Names in lower case.</param>
/// <param name="Body">As it arrived, before any decoding.</param>
internal sealed record S3Request(
    S3Operation Operation, string Bucket, string Key, IReadOnlyDictionary<string, string> Query, IReadOnlyDictionary<string, string> Headers, byte[] Body)
{
    public string? Header(string name) => Headers.GetValueOrDefault(name);

    /// <exception cref="IOException">The client disconnected, or the body is shorter than announced.</exception>
    public static async Task<S3Request> ReadAsync(HttpContext context)
    {
        using var body = new MemoryStream();
        await context.Request.Body.CopyToAsync(body, context.RequestAborted);
        return Parse(context, body.ToArray());
    }

    public static S3Request Parse(HttpContext context, byte[] body)
    {
        // Not Request.Path: it is normalised, and a key with dot segments has to arrive as it was sent.
        string target = context.Features.GetRequiredFeature<IHttpRequestFeature>().RawTarget;
        string path = target.Split('?', 2)[0];
        string[] parts = path.TrimStart('/').Split('/', 2);
        string bucket = Uri.UnescapeDataString(parts[0]);
        string key = parts.Length == 2 ? Uri.UnescapeDataString(parts[1]) : "";
        var query = QueryHelpers.ParseQuery(context.Request.QueryString.Value)
            .ToDictionary(pair => pair.Key, pair => pair.Value.ToString(), StringComparer.Ordinal);
        var headers = context.Request.Headers.ToDictionary(pair => pair.Key.ToLowerInvariant(), pair => pair.Value.ToString(), StringComparer.Ordinal);
        return new S3Request(OperationOf(context.Request.Method, key.Length > 0, query, headers), bucket, key, query, headers, body);
    }

    public static string Sha256Of(byte[] payload) => Convert.ToHexStringLower(SHA256.HashData(payload));

    private static S3Operation OperationOf(string method, bool hasKey, Dictionary<string, string> query, Dictionary<string, string> headers)
    {
        bool isPlain = query.Keys.All(name => name == "x-id" || name.StartsWith("X-Amz-", StringComparison.Ordinal));
        return (method, hasKey) switch
        {
            ("PUT", true) when isPlain && !headers.ContainsKey("x-amz-copy-source") => S3Operation.PutObject,
            ("GET", true) when isPlain && !headers.ContainsKey("range") => S3Operation.GetObject,
            ("HEAD", true) when isPlain => S3Operation.HeadObject,
            ("DELETE", true) when isPlain => S3Operation.DeleteObject,
            ("GET", false) when query.GetValueOrDefault("list-type") == "2" && !query.ContainsKey("delimiter") => S3Operation.ListObjects,
            ("PUT", false) when isPlain => S3Operation.CreateBucket,
            ("HEAD", false) when isPlain => S3Operation.HeadBucket,
            _ => S3Operation.Other,
        };
    }
}
