using Integration.Tests.Aws.S3;
using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.CloudFront.Events;
using Quayside.Messaging.CloudFront.Objects;
using Quayside.Messaging.Telemetry;

namespace Integration.Tests.CloudFront;

/// <summary>Logs in a store whose ETags are not the MD5 of the object: the SDK by itself could not read them.</summary>
public sealed class LogObjectEtagTests
{
    [Theory]
    [InlineData("\"of another kind\"")]
    [InlineData("\"0123456789abcdef0123456789abcdef\"")]
    [InlineData("unquoted")]
    public async Task Open_ETagIsNoMd5_IsReadWhole(string etag)
    {
        byte[] log = [1, 2, 3, 4, 5];
        await using StubServer stub = await StubServer.StartAsync(async context =>
        {
            context.Response.Headers.ETag = etag;
            context.Response.ContentLength = log.Length;
            await context.Response.Body.WriteAsync(log);
        });
        AwsOptions aws = new() { Endpoint = stub.Endpoint.ServiceUrl, Region = "us-east-1", AccessKeyId = "key", SecretAccessKey = "secret" };
        using ILogObjects objects =
            new S3LogObjects(S3ObjectReader.Create(aws, forcePathStyle: null, TimeSpan.FromSeconds(30), TimeProvider.System, new ApiCalls()));

        using S3ObjectContent opened = await objects.OpenAsync(
            new LogObject("logs", "a.gz", VersionId: null, ETag: null), TimeSpan.FromSeconds(30), TestContext.Current.CancellationToken);
        using MemoryStream all = new();
        await opened.Content.CopyToAsync(all, TestContext.Current.CancellationToken);

        all.ToArray().ShouldBe(log);
    }
}
