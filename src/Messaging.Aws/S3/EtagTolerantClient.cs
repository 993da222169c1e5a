using Amazon.Runtime;
using Amazon.Runtime.Internal;
using Amazon.S3;
using Amazon.S3.Internal;

namespace Messaging.Aws.S3;

/// <summary>
/// The SDK's client without its comparison of an object's ETag with the MD5 of its bytes: the SDK takes every ETag without a dash
/// for an MD5, so that no object of a store with other ETags could be read. The worker compares bytes, or reads gzip with its CRC.
/// </summary>
internal sealed class EtagTolerantClient(AWSCredentials credentials, AmazonS3Config config) : AmazonS3Client(credentials, config)
{
    protected override void CustomizeRuntimePipeline(RuntimePipeline pipeline)
    {
        base.CustomizeRuntimePipeline(pipeline);
        pipeline.RemoveHandler<AmazonS3ResponseHandler>();
    }
}
