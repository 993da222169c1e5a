using System.Text;

namespace Integration.Tests.Faults.S3;

/// <summary>Buckets and their objects. Checking a condition and storing the object is one atomic step.</summary>
internal sealed class S3Objects
{
    private readonly Lock _gate = new();
    private readonly Dictionary<string, SortedDictionary<string, StoredObject>> _buckets = new(StringComparer.Ordinal);

    public void CreateBucket(string bucket)
    {
        lock (_gate)
        {
            _buckets.TryAdd(bucket, new SortedDictionary<string, StoredObject>(Utf8Order.Instance));
        }
    }

    public bool HasBucket(string bucket)
    {
        lock (_gate)
        {
            return _buckets.ContainsKey(bucket);
        }
    }

    public StoredObject? Find(string bucket, string key)
    {
        lock (_gate)
        {
            return _buckets.GetValueOrDefault(bucket)?.GetValueOrDefault(key);
        }
    }

    /// <summary>All keys of a bucket with their bytes, for a test to compare with what was sent.</summary>
    public Dictionary<string, byte[]> Snapshot(string bucket)
    {
        lock (_gate)
        {
            return _buckets[bucket].ToDictionary(entry => entry.Key, entry => entry.Value.Body, StringComparer.Ordinal);
        }
    }

    /// <summary>In S3's order, that of the keys' UTF-8 bytes.</summary>
    public KeyValuePair<string, StoredObject>[] List(string bucket, string prefix, string after, int atMost)
    {
        lock (_gate)
        {
            return [.. _buckets[bucket]
                .Where(entry => entry.Key.StartsWith(prefix, StringComparison.Ordinal) && Utf8Order.Instance.Compare(entry.Key, after) > 0)
                .Take(atMost)];
        }
    }

    /// <param name="ifNoneMatch">Only <c>*</c>: the key must be free.</param>
    /// <param name="ifMatch">The ETag the present object must have.</param>
    /// <returns>False when a condition does not hold; nothing was stored then.</returns>
    public bool TryPut(string bucket, string key, StoredObject stored, string? ifNoneMatch = null, string? ifMatch = null)
    {
        lock (_gate)
        {
            SortedDictionary<string, StoredObject> objects = _buckets[bucket];
            StoredObject? present = objects.GetValueOrDefault(key);
            if ((ifNoneMatch is not null && present is not null) || (ifMatch is not null && present?.ETag != ifMatch))
            {
                return false;
            }

            objects[key] = stored;
            return true;
        }
    }

    /// <summary>Stores an object as if another client had: no exchange, no fault.</summary>
    public void Put(string bucket, string key, byte[] body, TimeProvider? time = null)
    {
        CreateBucket(bucket);
        var none = new Dictionary<string, string>(StringComparer.Ordinal);
        TryPut(bucket, key, new StoredObject(body, "binary/octet-stream", (time ?? TimeProvider.System).GetUtcNow(), none, none));
    }

    public bool Remove(string bucket, string key)
    {
        lock (_gate)
        {
            return _buckets.GetValueOrDefault(bucket)?.Remove(key) ?? false;
        }
    }

    private sealed class Utf8Order : IComparer<string>
    {
        public static Utf8Order Instance { get; } = new();

        public int Compare(string? x, string? y) => Encoding.UTF8.GetBytes(x ?? "").AsSpan().SequenceCompareTo(Encoding.UTF8.GetBytes(y ?? ""));
    }
}
