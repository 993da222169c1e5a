using Integration.Tests.Servers;

namespace Integration.Tests.Aws.S3;

/// <summary>Over a store that verifies signatures.</summary>
public class RealS3SinkContractTests(RealS3 real) : S3SinkContract
{
    internal override ValueTask<AwsEndpoint> RequireAsync() => new(real.Require());
}
