using Integration.Tests.Servers;

[assembly: AssemblyFixture(typeof(RealS3))]

namespace Integration.Tests.Servers;

/// <summary>
/// An S3 that verifies signatures and checksums and answers conditional PUTs: the one that <c>S3_ENDPOINT</c>, <c>S3_ACCESS_KEY</c>
/// and <c>S3_SECRET_KEY</c> name, as <c>tests/servers/ceph-s3 up</c> prints them. Test classes take it as a constructor parameter.
/// </summary>
public sealed class RealS3
{
    /// <summary>Skips the calling test, or fails it under <c>REQUIRE_SERVERS=1</c>, when no server is available.</summary>
    internal AwsEndpoint Require()
    {
        if (Variable("S3_ENDPOINT") is not { } address || Variable("S3_ACCESS_KEY") is not { } accessKey || Variable("S3_SECRET_KEY") is not { } secretKey)
        {
            RequiredServers.Missing(
                "No real S3: set S3_ENDPOINT, S3_ACCESS_KEY and S3_SECRET_KEY; `export $(tests/servers/ceph-s3 up /tmp/ceph-s3)` starts one and sets them.");
            return null;
        }

        return new AwsEndpoint("a real S3", new Uri(address), accessKey, secretKey, "us-east-1", TrailingChecksums: false);
    }

    private static string? Variable(string name) => Environment.GetEnvironmentVariable(name) is { Length: > 0 } value ? value : null;
}
