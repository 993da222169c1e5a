namespace Messaging.Aws.S3.Sink;

/// <summary>Which client calls the store; docs/reference/s3.md compares them.</summary>
internal enum S3ClientKind
{
    /// <summary>AWSSDK.S3.</summary>
    Sdk = 0,

    /// <summary>The worker's own client: SigV4 over SocketsHttpHandler.</summary>
    Direct,
}
