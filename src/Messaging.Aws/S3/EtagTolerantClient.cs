using Amazon.Runtime;
using Amazon.Runtime.Internal;
using Amazon.S3;
using Amazon.S3.Internal;

namespace Messaging.Aws.S3;

/// <summary>
/// The SDK's client without its check of an object's ETag against the MD5 of its bytes. The SDK takes every ETag without a dash for an MD5
/// and could not read objects of stores with other ETags. The worker compares bytes itself, or reads gzip with its CRC.
/// </summary>
internal sealed class EtagTolerantClient(AWSCredentials credentials, AmazonS3Config config) : AmazonS3Client(credentials, config)
{
    protected override void CustomizeRuntimePipeline(RuntimePipeline pipeline)
    {
        base.CustomizeRuntimePipeline(pipeline);
        pipeline.RemoveHandler<AmazonS3ResponseHandler>();
    }
}
