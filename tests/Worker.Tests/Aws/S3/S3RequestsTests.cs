using System.Text;
using Amazon.Runtime;
using Messaging.Aws;
using Messaging.Aws.S3;
using Messaging.Aws.S3.Sink.Sdk;
using Worker.Tests.Aws.S3.Direct;

namespace Worker.Tests.Aws.S3;

/// <summary>What both clients do.</summary>
public sealed class S3RequestsTests
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(20);

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("Sdk")]
    [InlineData("Direct")]
    public async Task Refresh_SeveralRequestsExpiredTogether_FetchesOnce(string client)
    {
        const string Expired = "<Error><Code>ExpiredToken</Code></Error>";
        int fetched = 0;

        // There are no third keys: a refresh of the second finds nothing new.
        AwsCredentialSource credentials = new(
            () => Task.FromResult<AWSCredentials>(new BasicAWSCredentials($"AKID{Math.Min(++fetched, 2)}", "s")), new ManualTimeProvider());
        await using RawServer server = new(request => request.Headers["Authorization"].Contains("AKID1", StringComparison.Ordinal)
            ? $"HTTP/1.1 400 Bad Request\r\nContent-Type: application/xml\r\nContent-Length: {Expired.Length}\r\n\r\n{Expired}"
            : RawServer.Stored);
        using IS3Requests requests = client == "Sdk"
            ? SdkRequests.Create(DirectSinks.Options, new S3Endpoint(server.Url, "eu-west-1", PathStyle: true), credentials, DirectSinks.Services())
            : DirectSinks.Requests(server.Url, credentials: credentials);
        S3Fault first = await PutAsync(requests, "a");
        S3Fault second = await PutAsync(requests, "b");

        (await requests.RefreshCredentialsAsync(first, Limit, Token)).ShouldBeTrue();
        (await PutAsync(requests, "a")).Kind.ShouldBe(S3FaultKind.None);
        (await requests.RefreshCredentialsAsync(second, Limit, Token)).ShouldBeTrue("Its keys have been replaced already.");
        (await PutAsync(requests, "b")).Kind.ShouldBe(S3FaultKind.None);

        (first.Kind, second.Kind).ShouldBe((S3FaultKind.ExpiredCredentials, S3FaultKind.ExpiredCredentials));
        fetched.ShouldBe(2);
    }

    private static async Task<S3Fault> PutAsync(IS3Requests requests, string key) => await requests.PutAsync(Encoding.UTF8.GetBytes(key), new byte[1], Limit, Token);
}
