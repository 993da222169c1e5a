namespace Messaging.Aws.S3.Sink;

/// <summary>Which client speaks to the store; docs/reference/s3.md has them side by side.</summary>
internal enum S3ClientKind
{
    /// <summary>AWSSDK.S3.</summary>
    Sdk = 0,

    /// <summary>SigV4 over SocketsHttpHandler, by the worker itself.</summary>
    Direct,
}
