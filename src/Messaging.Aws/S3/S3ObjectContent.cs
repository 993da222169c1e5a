namespace Quayside.Messaging.Aws.S3;

/// <summary>The answer to a request for an object: its bytes as they arrive, or the fault. The caller disposes it. Threads: one at a time.</summary>
internal sealed class S3ObjectContent : IDisposable
{
    private readonly IDisposable? _answer;

    /// <summary>An object that could not be opened.</summary>
    /// <param name="fault">Why.</param>
    public S3ObjectContent(S3Fault fault)
    {
        Fault = fault;
        Content = Stream.Null;
        Length = 0;
        Version = string.Empty;
    }

    /// <summary>An opened object.</summary>
    /// <param name="content">The object's bytes; owned by this object.</param>
    /// <param name="length">The number of bytes.</param>
    /// <param name="version">See <see cref="Version"/>.</param>
    /// <param name="answer">Disposed with this object; may be null.</param>
    public S3ObjectContent(Stream content, long length, string version, IDisposable? answer = null)
    {
        Fault = S3Fault.None;
        Content = content;
        Length = length;
        Version = version;
        _answer = answer;
    }

    /// <summary>The fault; of kind None when there is an object.</summary>
    public S3Fault Fault { get; }

    /// <summary>The object's bytes as they arrive. A read throws when the connection breaks; <see cref="S3Fault.Of"/> classifies the exception.</summary>
    public Stream Content { get; }

    /// <summary>The object's size in bytes.</summary>
    public long Length { get; }

    /// <summary>
    /// What distinguishes this object from another of the same key: the requested version id unless it is <c>null</c>, else the requested ETag, else the ETag
    /// of the answer.
    /// </summary>
    public string Version { get; }

    /// <summary>Returns the connection, or closes it when the object was not read to its end.</summary>
    public void Dispose()
    {
        Content.Dispose();
        _answer?.Dispose();
    }
}
