using System.Net;
using System.Text;
using Amazon;
using Amazon.Runtime;
using Amazon.Runtime.Signing;
using Quayside.Messaging.Aws;
using Quayside.Messaging.Elasticsearch;
using Quayside.Pipeline.Buffers;

namespace Messaging.Tests.Elasticsearch.Requests;

/// <summary>AWSSDK.Core signs the same requests; a refused signature is corrected where that is possible.</summary>
public sealed class SignedBulkRequestTests
{
    private static readonly DateTimeOffset Now = new(2026, 2, 28, 23, 59, 59, TimeSpan.Zero);

    private readonly ManualTimeProvider _time = new(Now);

    [Theory]
    [InlineData("Es", "https://search.example", "logs", null, null)]
    [InlineData("Aoss", "https://search.example:8443/a/b", "logs-2026.01", "clean", "token/+=")]
    [InlineData("Es", "https://search.example/pre fix", "größe", "a b&c", null)]
    public async Task SignAsync_BulkRequest_AgreesWithAwsSigV4Signer(string signing, string endpoint, string index, string? pipeline, string? token)
    {
        AwsSigning service = Enum.Parse<AwsSigning>(signing);
        ElasticsearchSinkOptions options = new() { Endpoint = [endpoint], Index = index, Pipeline = pipeline, SigV4 = service };
        DocumentBatch batch = Filled();
        using BatchContent content = new(batch, 2, gzip: false);
        using HttpRequestMessage request = new(HttpMethod.Post, new ElasticsearchNode(options.Nodes[0], options).Bulk) { Content = content };
        AWSSigningRequest described = new()
        {
            HttpMethod = HttpMethod.Post,
            RequestUri = request.RequestUri,
            Content = await content.ReadAsByteArrayAsync(TestContext.Current.CancellationToken)
        };
        described.Headers["content-type"] = "application/x-ndjson";
        AWSCredentials credentials = token is null ? new BasicAWSCredentials("AKID", "secret") : new SessionAWSCredentials("AKID", "secret", token);
        AWSSigningResult expected = AWSSigV4Signer.Sign(
            described,
            new AWSSigV4Parameters
            { Credentials = credentials, Region = RegionEndpoint.EUWest1, Service = service == AwsSigning.Es ? "es" : "aoss", SignedAt = Now.UtcDateTime });
        using AwsRequestSigner signer = Signer(service, credentials);

        await signer.SignAsync(request, await batch.HashAsync(2, TestContext.Current.CancellationToken), TestContext.Current.CancellationToken);

        request.Headers.NonValidated["Authorization"].ToString().ShouldBe(expected.Headers["Authorization"]);
    }

    [Fact]
    public async Task SendAsync_ClockIsWrong_IsCorrectedAndAccepted()
    {
        Queue<HttpResponseMessage> answers = new(
            [Answer(HttpStatusCode.Forbidden, """{"message":"Signature expired"}""", Now + TimeSpan.FromHours(1)),
                Answer(HttpStatusCode.OK, """{"errors":false,"items":[{"create":{"_id":"d0","status":201}},{"create":{"_id":"d1","status":201}}]}""", Now)]);
        List<string> dates = [];
        using BulkRequests requests = Requests(new AnswerInTurn(answers, dates));
        DocumentBatch batch = Filled();

        BulkFault refused = await requests.SendAsync(batch, 2, askFirst: false, TimeSpan.FromSeconds(30), TestContext.Current.CancellationToken);
        BulkFault accepted = await requests.SendAsync(batch, 2, askFirst: false, TimeSpan.FromSeconds(30), TestContext.Current.CancellationToken);

        (refused.Kind, refused.Status, accepted.Kind).ShouldBe((BulkFaultKind.Transient, 403, BulkFaultKind.None));
        dates.ShouldBe(["20260228T235959Z", "20260301T005959Z"]);
        batch.Created.ShouldBe(2);
    }

    [Fact]
    public async Task SendAsync_RefusedForAnotherReason_StaysRefused()
    {
        using BulkRequests requests = Requests(new AnswerInTurn(new([Answer(HttpStatusCode.Forbidden, """{"message":"no permission"}""", Now)]), []));

        BulkFault refused = await requests.SendAsync(Filled(), 2, askFirst: false, TimeSpan.FromSeconds(30), TestContext.Current.CancellationToken);

        (refused.Kind, refused.Status).ShouldBe((BulkFaultKind.Refused, 403));
    }

    [Fact]
    public async Task SendAsync_NoCredentials_SaysSo()
    {
        ElasticsearchSinkOptions options = new() { Endpoint = ["https://search.example"], Index = "logs", SigV4 = AwsSigning.Es };
        AwsRequestSigner signer =
            new("es", "eu-west-1", new AwsCredentialSource(() => throw new AmazonClientException("Nothing found."), _time), new AwsClock(_time));
        using BulkRequests requests = new(options, new AnswerInTurn(new(), []), _time, new BufferPool(), logger: null, signer);

        BulkFault fault = await requests.SendAsync(Filled(), 2, askFirst: false, TimeSpan.FromSeconds(30), TestContext.Current.CancellationToken);

        fault.Code.ShouldBe(BulkFault.NoCredentialsCode);
        fault.Reason.ShouldContain("AWS_ACCESS_KEY_ID");
    }

    [Fact]
    public async Task AskAsync_ServerlessWithoutTheIndex_IsReachable()
    {
        List<string> dates = [];
        ElasticsearchSinkOptions options = new() { Endpoint = ["https://search.example"], Index = "logs", SigV4 = AwsSigning.Aoss };
        using BulkRequests requests = new(
            options, new AnswerInTurn(new([Answer(HttpStatusCode.NotFound, "{}", Now)]), dates), _time, new BufferPool(), logger: null,
            Signer(AwsSigning.Aoss, new BasicAWSCredentials("AKID", "secret")));

        (await requests.AskAsync(TimeSpan.FromSeconds(30), TestContext.Current.CancellationToken)).ShouldBe(default);
        dates.Count.ShouldBe(1);
    }

    private BulkRequests Requests(HttpMessageHandler handler) => new(
        new ElasticsearchSinkOptions { Endpoint = ["https://search.example"], Index = "logs", SigV4 = AwsSigning.Es }, handler, _time, new BufferPool(),
        logger: null, Signer(AwsSigning.Es, new BasicAWSCredentials("AKID", "secret")));

    private AwsRequestSigner Signer(AwsSigning service, AWSCredentials credentials) =>
        new(service == AwsSigning.Aoss ? "aoss" : "es", "eu-west-1", new AwsCredentialSource(() => Task.FromResult(credentials), _time), new AwsClock(_time));

    private static HttpResponseMessage Answer(HttpStatusCode status, string body, DateTimeOffset date)
    {
        HttpResponseMessage answer = new(status) { Content = new ByteArrayContent(Encoding.UTF8.GetBytes(body)) };
        answer.Headers.Date = date;
        return answer;
    }

    private static DocumentBatch Filled()
    {
        DocumentBatch batch = new(new SegmentPool(retained: 4), new ItemRules("logs"));
        foreach (string id in (string[])["d0", "d1"])
        {
            batch.Open(ActionLine.Before, Encoding.UTF8.GetBytes(id), ActionLine.Behind);
            "{\"n\":1}"u8.CopyTo(batch.GetSpan(7));
            batch.Advance(7);
            batch.Close();
        }

        batch.Complete();
        return batch;
    }

    private sealed class AnswerInTurn(Queue<HttpResponseMessage> answers, List<string> dates) : HttpMessageHandler
    {
        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            dates.Add(request.Headers.NonValidated["x-amz-date"].ToString());
            return Task.FromResult(answers.Dequeue());
        }
    }
}
