using Integration.Tests.Servers;

namespace Integration.Tests.Handlers.CloudFront;

/// <summary>A store that verifies signatures and conditions.</summary>
public sealed class RealLogObjectsTests(RealS3 s3) : LogObjectsContract
{
    private protected override Task<AwsEndpoint> RequireAsync() => Task.FromResult(s3.Require());
}
