using Messaging.Aws.S3;

namespace Messaging.CloudFront.Objects;

/// <summary>The answer to a request for an object. Whoever asked disposes it.</summary>
internal sealed class OpenedLog : IDisposable
{
    private readonly IDisposable? _answer;

    /// <summary>There is no object to read.</summary>
    public OpenedLog(S3Fault fault)
    {
        Fault = fault;
        Content = Stream.Null;
        Length = 0;
        Version = string.Empty;
    }

    /// <param name="content">The object's bytes.</param>
    /// <param name="length">How many there are.</param>
    /// <param name="version">What tells this object from another of the same key: its version id, or its ETag where it has none.</param>
    /// <param name="answer">Disposed with this object.</param>
    public OpenedLog(Stream content, long length, string version, IDisposable? answer = null)
    {
        Content = content;
        Length = length;
        Version = version;
        _answer = answer;
    }

    /// <summary>Why there is no object; of kind None when there is one.</summary>
    public S3Fault Fault { get; }

    public Stream Content { get; }

    public long Length { get; }

    public string Version { get; }

    /// <summary>Gives the connection back, or up where the object was not read to its end.</summary>
    public void Dispose()
    {
        Content.Dispose();
        _answer?.Dispose();
    }
}
