using System.Globalization;
using System.Text;

namespace Integration.Tests.Faults.S3;

/// <summary>What S3 does with a request when nothing goes wrong.</summary>
internal sealed class S3Service(S3Objects objects, TimeProvider time)
{
    // "Object key names" in S3's user guide: bytes of UTF-8.
    private const int LongestKey = 1024;
    private const int MaxKeysPerPage = 1000;

    /// <param name="corrupt">Flips a bit of what is stored or read, before anything is verified.</param>
    public S3Answer Execute(S3Request request, bool corrupt)
    {
        if (request.Operation == S3Operation.CreateBucket)
        {
            objects.CreateBucket(request.Bucket);
            return S3Answer.Success(200, committed: true);
        }

        if (request.Operation == S3Operation.Other)
        {
            return S3Answer.Failure(S3Error.NotImplemented, request);
        }

        if (!objects.HasBucket(request.Bucket))
        {
            return S3Answer.Failure(S3Error.NoSuchBucket, request);
        }

        return request.Operation switch
        {
            S3Operation.PutObject => Put(request, corrupt),
            S3Operation.GetObject or S3Operation.HeadObject => Get(request, corrupt),
            S3Operation.DeleteObject => S3Answer.Success(204, committed: objects.Remove(request.Bucket, request.Key)),
            S3Operation.ListObjects => List(request),
            S3Operation.HeadBucket => S3Answer.Success(200),
            _ => throw new ArgumentOutOfRangeException(nameof(request), request.Operation, null),
        };
    }

    private S3Answer Put(S3Request request, bool corrupt)
    {
        PutPayload payload = PutPayload.Decode(request);
        if (corrupt)
        {
            payload = payload with { Bytes = FlipBit(payload.Bytes) };
        }

        string? ifNoneMatch = request.Header("if-none-match");
        S3Error? error = payload.Error
            ?? payload.Verify(request)
            ?? (Encoding.UTF8.GetByteCount(request.Key) > LongestKey ? S3Error.KeyTooLong : null)
            ?? (ifNoneMatch is null or "*" ? null : S3Error.NotImplemented);
        if (error is not null)
        {
            return S3Answer.Failure(error, request);
        }

        var stored = new StoredObject(
            payload.Bytes,
            request.Header("content-type") ?? "binary/octet-stream",
            time.GetUtcNow(),
            request.Headers.Where(header => header.Key.StartsWith("x-amz-meta-", StringComparison.Ordinal)).ToDictionary(StringComparer.Ordinal),
            payload.Checksums);
        return objects.TryPut(request.Bucket, request.Key, stored, ifNoneMatch, request.Header("if-match"))
            ? S3Answer.Success(200, committed: true, headers: [new("ETag", stored.ETag), .. stored.Checksums])
            : S3Answer.Failure(S3Error.PreconditionFailed, request);
    }

    private S3Answer Get(S3Request request, bool corrupt)
    {
        if (objects.Find(request.Bucket, request.Key) is not { } stored)
        {
            return S3Answer.Failure(S3Error.NoSuchKey, request);
        }

        if (request.Header("if-match") is { } ifMatch && ifMatch != stored.ETag)
        {
            return S3Answer.Failure(S3Error.PreconditionFailed, request);
        }

        List<KeyValuePair<string, string>> headers =
        [
            new("ETag", stored.ETag),
            new("Last-Modified", stored.LastModified.ToString("R", CultureInfo.InvariantCulture)),
            new("Content-Type", stored.ContentType),
            .. stored.Metadata,
        ];
        if (request.Header("x-amz-checksum-mode") == "ENABLED")
        {
            headers.AddRange(stored.Checksums);
        }

        return S3Answer.Success(200, corrupt ? FlipBit(stored.Body) : stored.Body, headers: headers);
    }

    private S3Answer List(S3Request request)
    {
        int most = Math.Min(MaxKeysPerPage, int.Parse(request.Query.GetValueOrDefault("max-keys", "1000"), CultureInfo.InvariantCulture));
        // The token is the last key of the previous page; it is opaque to clients.
        string after = request.Query.TryGetValue("continuation-token", out string? token)
            ? Encoding.UTF8.GetString(Convert.FromHexString(token))
            : request.Query.GetValueOrDefault("start-after", "");
        bool isEncoded = request.Query.GetValueOrDefault("encoding-type") == "url";
        KeyValuePair<string, StoredObject>[] found = objects.List(request.Bucket, request.Query.GetValueOrDefault("prefix", ""), after, most + 1);
        ReadOnlySpan<KeyValuePair<string, StoredObject>> page = found.AsSpan(0, Math.Min(most, found.Length));

        var xml = new StringBuilder("""<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">""");
        xml.Append(CultureInfo.InvariantCulture, $"<Name>{S3Answer.Escape(request.Bucket)}</Name><KeyCount>{page.Length}</KeyCount><MaxKeys>{most}</MaxKeys>");
        xml.Append(isEncoded ? "<EncodingType>url</EncodingType>" : "");
        foreach ((string key, StoredObject stored) in page)
        {
            string name = isEncoded ? Uri.EscapeDataString(key) : S3Answer.Escape(key);
            xml.Append(
                CultureInfo.InvariantCulture,
                $"<Contents><Key>{name}</Key><LastModified>{stored.LastModified:yyyy-MM-ddTHH:mm:ss.fffZ}</LastModified><ETag>{S3Answer.Escape(stored.ETag)}"
                    + $"</ETag><Size>{stored.Body.Length}</Size><StorageClass>STANDARD</StorageClass></Contents>");
        }

        bool isTruncated = found.Length > page.Length && page.Length > 0;
        xml.Append(isTruncated ? "<IsTruncated>true</IsTruncated>" : "<IsTruncated>false</IsTruncated>");
        if (isTruncated)
        {
            xml.Append(
                CultureInfo.InvariantCulture, $"<NextContinuationToken>{Convert.ToHexString(Encoding.UTF8.GetBytes(page[^1].Key))}</NextContinuationToken>");
        }

        xml.Append("</ListBucketResult>");
        return S3Answer.Success(200, Encoding.UTF8.GetBytes(xml.ToString()), headers: [new("Content-Type", "application/xml")]);
    }

    private static byte[] FlipBit(byte[] bytes)
    {
        byte[] flipped = [.. bytes];
        if (flipped.Length > 0)
        {
            flipped[flipped.Length / 2] ^= 1;
        }

        return flipped;
    }
}
