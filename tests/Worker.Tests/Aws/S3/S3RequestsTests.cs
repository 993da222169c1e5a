using System.Text;
using Amazon.Runtime;
using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Aws.S3.Sink.Sdk;
using Worker.Tests.Aws.S3.Direct;

namespace Worker.Tests.Aws.S3;

/// <summary>What both clients do.</summary>
public sealed class S3RequestsTests
{
    private const string Expired = "HTTP/1.1 400 Bad Request\r\nContent-Type: application/xml\r\nContent-Length: 40\r\n\r\n<Error><Code>ExpiredToken</Code></Error>";

    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(20);

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("Sdk")]
    [InlineData("Direct")]
    public async Task Put_SeveralRequestsExpiredTogether_FetchesOnce(string client)
    {
        int fetched = 0;
        TaskCompletionSource<AWSCredentials> first = new(TaskCreationOptions.RunContinuationsAsynchronously);
        AwsCredentialSource credentials = new(
            () => Interlocked.Increment(ref fetched) == 1 ? first.Task : Task.FromResult<AWSCredentials>(new BasicAWSCredentials("AKID2", "s")), new ManualTimeProvider());
        await using RawServer server = new(request => request.Headers["Authorization"].Contains("AKID1", StringComparison.Ordinal) ? Expired : RawServer.Stored);
        using IS3Requests requests = Open(client, server, credentials);

        // The SDK may ask for keys later, on a thread of its own: its second request is then signed with the new ones.
        Task<S3Fault>[] puts = [PutAsync(requests, "a"), PutAsync(requests, "b")];
        first.SetResult(new BasicAWSCredentials("AKID1", "s"));

        (await Task.WhenAll(puts)).ShouldBe([S3Fault.None, S3Fault.None]);
        server.Requests.Length.ShouldBeInRange(client == "Sdk" ? 3 : 4, 4);
        fetched.ShouldBe(2);
    }

    [Theory]
    [InlineData("Sdk")]
    [InlineData("Direct")]
    public async Task Put_ExpiredAndTheSourceOfKeysFails_IsRefusedForTheSource(string client)
    {
        int fetched = 0;
        AwsCredentialSource credentials = new(
            () => Interlocked.Increment(ref fetched) == 1 ? Task.FromResult<AWSCredentials>(new BasicAWSCredentials("AKID1", "s")) : throw new AmazonClientException("no role"), new ManualTimeProvider());
        await using RawServer server = new(_ => Expired);
        using IS3Requests requests = Open(client, server, credentials);

        S3Fault fault = await PutAsync(requests, "a");

        (fault.Kind, fault.Code).ShouldBe((AwsErrorKind.Refused, "CredentialsUnavailable"));
        server.Requests.Length.ShouldBe(1);
    }

    private static IS3Requests Open(string client, RawServer server, AwsCredentialSource credentials) => client == "Sdk"
        ? SdkRequests.Create(DirectSinks.Options, new S3Endpoint(server.Url, "eu-west-1", PathStyle: true), credentials, DirectSinks.Services())
        : DirectSinks.Requests(server.Url, credentials: credentials);

    private static async Task<S3Fault> PutAsync(IS3Requests requests, string key) => await requests.PutAsync(Encoding.UTF8.GetBytes(key), new byte[1], null, Limit, Token);
}
