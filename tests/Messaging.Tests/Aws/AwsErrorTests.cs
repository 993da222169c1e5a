using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.S3;

namespace Messaging.Tests.Aws;

public sealed class AwsErrorTests
{
    [Theory]
    [InlineData("RequestThrottled", AwsErrorKind.Throttled)]
    [InlineData("SlowDown", AwsErrorKind.Throttled)]
    [InlineData("OverLimit", AwsErrorKind.Throttled)]
    [InlineData("ServiceUnavailable", AwsErrorKind.Transient)]
    [InlineData("RequestTimeout", AwsErrorKind.Transient)]
    [InlineData("InvalidAccessKeyId", AwsErrorKind.Refused)]
    [InlineData("KmsAccessDenied", AwsErrorKind.Refused)]
    [InlineData("NoSuchBucket", AwsErrorKind.Refused)]
    [InlineData("QueueDoesNotExist", AwsErrorKind.Missing)]
    [InlineData("NoSuchKey", AwsErrorKind.Missing)]
    [InlineData("ExpiredToken", AwsErrorKind.ExpiredCredentials)]
    [InlineData("RequestTimeTooSkewed", AwsErrorKind.ClockSkew)]
    [InlineData("KeyTooLongError", AwsErrorKind.Rejected)]
    [InlineData("InvalidMessageContents", AwsErrorKind.Undecided)]
    [InlineData("NewCode", AwsErrorKind.Undecided)]
    [InlineData("", AwsErrorKind.Undecided)]
    internal void KindOf_Code_GivesKind(string code, AwsErrorKind kind) => AwsError.KindOf(code, string.Empty).ShouldBe(kind);

    [Theory]
    [InlineData("", 0, AwsErrorKind.Refused)]
    [InlineData("", 239, AwsErrorKind.Refused)]
    [InlineData("", 240, AwsErrorKind.ClockSkew)]
    [InlineData("Signature expired: now", 0, AwsErrorKind.ClockSkew)]
    [InlineData("signature not yet current", 0, AwsErrorKind.ClockSkew)]
    internal void KindOf_SignatureRefused_DependsOnTheClock(string message, int skewSeconds, AwsErrorKind kind) =>
        AwsError.KindOf("SignatureDoesNotMatch", message, TimeSpan.FromSeconds(skewSeconds)).ShouldBe(kind);

    [Theory]
    [InlineData(503, "SlowDown", AwsErrorKind.Throttled)]
    [InlineData(500, "NewCode", AwsErrorKind.Transient)]
    [InlineData(429, "", AwsErrorKind.Throttled)]
    [InlineData(412, "", AwsErrorKind.Exists)]
    [InlineData(409, "NewCode", AwsErrorKind.Transient)]
    [InlineData(413, "", AwsErrorKind.Rejected)]
    [InlineData(501, "NotImplemented", AwsErrorKind.Refused)]
    [InlineData(404, "", AwsErrorKind.Refused)]
    [InlineData(404, "NoSuchKey", AwsErrorKind.Missing)]
    [InlineData(403, "NewCode", AwsErrorKind.Refused)]
    [InlineData(400, "NewCode", AwsErrorKind.Refused)]
    [InlineData(301, "", AwsErrorKind.Refused)]
    [InlineData(204, "", AwsErrorKind.Transient)]
    internal void OfAnswer_OfS3_UnknownCodeIsClassifiedByItsStatus(int status, string code, AwsErrorKind kind) =>
        S3Fault.OfAnswer(new AwsError(status, code, "")).Kind.ShouldBe(kind);
}
