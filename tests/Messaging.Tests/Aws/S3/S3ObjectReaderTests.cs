using Messaging.Tests.Aws.S3.Direct;
using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Telemetry;

namespace Messaging.Tests.Aws.S3;

public sealed class S3ObjectReaderTests
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(20);

    [Theory]
    [InlineData("v1", "one", "v1")]
    [InlineData("null", "one", "one")]
    [InlineData("null", null, "answered")]
    public async Task Open_VersionId_IsRequestedAndIsTheVersionUnlessItIsNull(string versionId, string? eTag, string version)
    {
        await using RawServer server = new(_ => "HTTP/1.1 200 OK\r\nETag: \"answered\"\r\nContent-Length: 3\r\n\r\nabc");

        using S3ObjectContent opened = await OpenAsync(server, versionId, eTag);

        opened.Version.ShouldBe(version);
        server.Requests.Single().Target.ShouldStartWith($"/logs/a.gz?versionId={versionId}");
    }

    [Theory]
    [InlineData("application/xml", "<Error><Code>NoSuchKey</Code></Error>", "Missing")]
    [InlineData("application/xml; charset=UTF-8", "<Error><Code>NoSuchKey</Code></Error>", "Missing")]
    [InlineData("text/xml", "<Error><Code>NoSuchVersion</Code></Error>", "Missing")]
    [InlineData("application/xml", "<Error><Code>NoSuchBucket</Code></Error>", "Refused")]
    [InlineData("text/html", "<html>default backend - 404</html>", "Refused")]
    public async Task Open_NotFound_IsMissingOnlyWhenTheStoreSaysSo(string type, string body, string kind)
    {
        await using RawServer server = new(_ => $"HTTP/1.1 404 Not Found\r\nContent-Type: {type}\r\nContent-Length: {body.Length}\r\n\r\n{body}");

        using S3ObjectContent opened = await OpenAsync(server);

        opened.Fault.Kind.ToString().ShouldBe(kind);
    }

    private static async Task<S3ObjectContent> OpenAsync(RawServer server, string? versionId = null, string? eTag = null)
    {
        AwsOptions aws = new() { Endpoint = server.Url, Region = "eu-west-1", AccessKeyId = "AKIDTEST", SecretAccessKey = "secret" };
        using S3ObjectReader reader = S3ObjectReader.Create(aws, forcePathStyle: null, Limit, TimeProvider.System, new ApiCalls());
        return await reader.OpenAsync("logs", "a.gz", versionId, eTag, Limit, TestContext.Current.CancellationToken);
    }
}
