using System.Globalization;
using Amazon.Runtime;
using Quayside.Messaging.Aws;

namespace Messaging.Tests.Aws.Sqs.Wire;

/// <summary>Signatures refused because of the clock or the credentials.</summary>
public sealed class SqsClientSignatureTests
{
    [Theory]
    [InlineData("RequestTimeTooSkewed", "The difference is too large.")]
    [InlineData("InvalidSignatureException", "Signature expired: 20260101T000000Z is now earlier than ...")]
    [InlineData("InvalidSignatureException", "Signature not yet current: ...")]
    [InlineData("SignatureDoesNotMatch", "The request signature we calculated does not match.")]
    public async Task ReceiveAsync_ClockIsAnHourOff_IsCorrectedOnceAndStaysSo(string code, string message)
    {
        DateTimeOffset truth = new(2026, 11, 21, 12, 0, 0, TimeSpan.Zero);
        ManualTimeProvider wrong = new(truth.AddHours(-1));
        await using FakeService service = await FakeService.StartAsync((context, _) =>
        {
            DateTimeOffset signedAt = DateTimeOffset.ParseExact(
                context.Request.Headers["X-Amz-Date"]!, "yyyyMMdd'T'HHmmss'Z'", CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal);
            (string, string) date = ("Date", truth.ToString("R", CultureInfo.InvariantCulture));
            return (truth - signedAt).Duration() < TimeSpan.FromMinutes(5)
                ? FakeService.AnswerAsync(context, 200, "{}", date)
                : FakeService.AnswerAsync(context, 403, $$"""{"__type":"{{code}}","message":"{{message}}"}""", date);
        });
        using WireClient client = new(service.Address, time: wrong);

        await client.ReceiveAsync();
        await client.ReceiveAsync();

        service.Requests.Count.ShouldBe(3);
        client.Clock.Offset.ShouldBe(TimeSpan.FromHours(1));
        client.Clock.Corrections.ShouldBe(1);
    }

    [Theory]
    [InlineData("RequestTimeTooSkewed", nameof(AwsErrorKind.ClockSkew), 2)]
    [InlineData("SignatureDoesNotMatch", nameof(AwsErrorKind.Refused), 1)]
    [InlineData("ExpiredToken", nameof(AwsErrorKind.ExpiredCredentials), 1)]
    public async Task ReceiveAsync_RefusedForGood_IsRetriedOnceWhereTheClockIsWrong(string type, string kind, int requests)
    {
        await using FakeService service = await FakeService.StartAsync(403, $$"""{"__type":"{{type}}","message":"..."}""");
        using WireClient client = new(service.Address);

        (await client.FailReceiveAsync()).Kind.ToString().ShouldBe(kind);

        service.Requests.Count.ShouldBe(requests);
        client.Clock.Corrections.ShouldBe(requests - 1);
    }

    [Fact]
    public async Task ReceiveAsync_ExpiredToken_IsRetriedWithNewCredentials()
    {
        await using FakeService service = await FakeService.StartAsync((context, _) =>
            context.Request.Headers["X-Amz-Security-Token"] == "token-1"
                ? FakeService.AnswerAsync(
                    context, 403, """{"__type":"ExpiredTokenException","message":"The security token included in the request is expired"}""")
                : FakeService.AnswerAsync(context, 200, "{}"));
        int asked = 0;
        using WireClient client =
            new(service.Address, credentials: () => new SessionAWSCredentials("AKID", "secret", $"token-{Interlocked.Increment(ref asked)}"));

        await client.ReceiveAsync();
        await client.ReceiveAsync();

        service.Requests.Select(r => r.Headers["X-Amz-Security-Token"]).ShouldBe(["token-1", "token-2", "token-2"]);
    }

    [Fact]
    public async Task ReceiveAsync_NoCredentials_IsAccessDeniedWithoutARequest()
    {
        await using FakeService service = await FakeService.StartAsync(200, "{}");
        using WireClient client = new(service.Address, credentials: () => throw new AmazonClientException("nothing in the chain"));

        AwsServiceException error = await client.FailReceiveAsync();

        (error.Kind, error.Code).ShouldBe((AwsErrorKind.Refused, "CredentialsUnavailable"));
        error.Message.ShouldContain("AWS_ACCESS_KEY_ID");
        service.Requests.ShouldBeEmpty();
    }
}
