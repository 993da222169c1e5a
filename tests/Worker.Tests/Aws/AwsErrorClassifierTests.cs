using Messaging.Aws;

namespace Worker.Tests.Aws;

public sealed class AwsErrorClassifierTests
{
    [Theory]
    [InlineData(400, "RequestThrottled", nameof(AwsErrorKind.Throttled))]
    [InlineData(503, "SlowDown", nameof(AwsErrorKind.Throttled))]
    [InlineData(400, "OverLimit", nameof(AwsErrorKind.Throttled))]
    [InlineData(503, "ServiceUnavailable", nameof(AwsErrorKind.Transient))]
    [InlineData(400, "RequestTimeout", nameof(AwsErrorKind.Transient))]
    [InlineData(500, "NewCode", nameof(AwsErrorKind.Transient))]
    [InlineData(403, "NewCode", nameof(AwsErrorKind.AccessDenied))]
    [InlineData(403, "InvalidAccessKeyId", nameof(AwsErrorKind.AccessDenied))]
    [InlineData(400, "KmsAccessDenied", nameof(AwsErrorKind.AccessDenied))]
    [InlineData(404, "NoSuchBucket", nameof(AwsErrorKind.NotFound))]
    [InlineData(400, "QueueDoesNotExist", nameof(AwsErrorKind.NotFound))]
    [InlineData(400, "ExpiredToken", nameof(AwsErrorKind.ExpiredCredentials))]
    [InlineData(403, "RequestTimeTooSkewed", nameof(AwsErrorKind.ClockSkew))]
    [InlineData(400, "InvalidMessageContents", nameof(AwsErrorKind.Invalid))]
    [InlineData(301, "", nameof(AwsErrorKind.Invalid))]
    [InlineData(0, "", nameof(AwsErrorKind.Invalid))]
    public void Classify_CodeBeforeStatus_GivesKind(int status, string code, string kind)
    {
        AwsErrorClassifier.Classify(status, code, string.Empty).ToString().ShouldBe(kind);
    }

    [Theory]
    [InlineData("", 0, nameof(AwsErrorKind.AccessDenied))]
    [InlineData("", 239, nameof(AwsErrorKind.AccessDenied))]
    [InlineData("", 240, nameof(AwsErrorKind.ClockSkew))]
    [InlineData("Signature expired: now", 0, nameof(AwsErrorKind.ClockSkew))]
    [InlineData("signature not yet current", 0, nameof(AwsErrorKind.ClockSkew))]
    public void Classify_SignatureRefused_DependsOnTheClock(string message, int skewSeconds, string kind)
    {
        AwsErrorClassifier.Classify(403, "SignatureDoesNotMatch", message, TimeSpan.FromSeconds(skewSeconds)).ToString().ShouldBe(kind);
    }
}
