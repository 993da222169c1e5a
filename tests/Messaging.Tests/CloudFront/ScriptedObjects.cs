using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.CloudFront.Events;
using Quayside.Messaging.CloudFront.Objects;

namespace Messaging.Tests.CloudFront;

/// <summary>Objects in memory whose opening a script controls.</summary>
internal sealed class ScriptedObjects : ILogObjects
{
    private readonly Dictionary<string, byte[]> _objects = new(StringComparer.Ordinal);

    /// <summary>The requested keys.</summary>
    public List<string> Asked { get; } = [];

    /// <summary>Called with the key and the number of its requests; a kind other than None is the answer.</summary>
    public Func<string, int, S3Fault> Fault { get; set; } = static (_, _) => S3Fault.None;

    /// <summary>Creates the stream of an object.</summary>
    public Func<byte[], Stream> Stream { get; set; } = static bytes => Pieces.Of(bytes, 1_000, suspend: true);

    /// <summary>Number of answers not yet disposed.</summary>
    public int Open { get; private set; }

    public void Put(string key, byte[] bytes) => _objects[key] = bytes;

    public async ValueTask<S3ObjectContent> OpenAsync(LogObject wanted, TimeSpan limit, CancellationToken cancellationToken)
    {
        await Task.Yield();
        cancellationToken.ThrowIfCancellationRequested();
        Asked.Add(wanted.Key);
        S3Fault fault = Fault(wanted.Key, Asked.Count(key => key == wanted.Key));
        if (fault.Kind != AwsErrorKind.None)
        {
            return new S3ObjectContent(fault);
        }

        if (!_objects.TryGetValue(wanted.Key, out byte[]? bytes))
        {
            return new S3ObjectContent(new S3Fault(AwsErrorKind.Missing, "NoSuchKey", 404));
        }

        Open++;
        return new S3ObjectContent(Stream(bytes), bytes.Length, wanted.VersionId ?? wanted.ETag ?? "etag", new Answer(this));
    }

    public void Dispose()
    {
    }

    private sealed class Answer(ScriptedObjects objects) : IDisposable
    {
        public void Dispose() => objects.Open--;
    }
}
