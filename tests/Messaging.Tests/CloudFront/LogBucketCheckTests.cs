using System.Collections.Concurrent;
using Messaging.Tests.Telemetry;
using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.CloudFront.Objects;
using Quayside.Messaging.Configuration;

namespace Messaging.Tests.CloudFront;

/// <summary>The check of the log buckets at start: which faults end the start, and with which exit code.</summary>
public sealed class LogBucketCheckTests
{
    private const int Unanswered = 6003;

    private readonly RecordingLogger _log = new();
    private readonly ConcurrentQueue<string> _asked = [];

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Run_EveryBucketAnswers_AsksEachOnce()
    {
        await RunAsync(S3Fault.None);

        _asked.ShouldBe(["first", "second"]);
        _log.Lines.ShouldBeEmpty();
    }

    [Theory]
    [InlineData(
        AwsErrorKind.Missing, "NoSuchBucket", 404, ExitCodes.Unavailable,
        "The log bucket 'first' does not exist: create it or correct Handlers:CloudFront:Buckets.")]
    [InlineData(
        AwsErrorKind.Refused, "NoSuchBucket", 404, ExitCodes.Unavailable,
        "The log bucket 'first' does not exist: create it or correct Handlers:CloudFront:Buckets.")]
    [InlineData(AwsErrorKind.Refused, "AccessDenied", 403, ExitCodes.NoPermission, "grant s3:ListBucket on it and s3:GetObject on its objects")]
    [InlineData(AwsErrorKind.Refused, "InvalidAccessKeyId", 403, ExitCodes.NoPermission, "check the credentials")]
    [InlineData(AwsErrorKind.ExpiredCredentials, "ExpiredToken", 400, ExitCodes.NoPermission, "check the credentials")]
    [InlineData(AwsErrorKind.ClockSkew, "RequestTimeTooSkewed", 403, ExitCodes.NoPermission, "The clock of this machine is wrong")]
    [InlineData(AwsErrorKind.Refused, "PermanentRedirect", 301, ExitCodes.Configuration, "is in another region: set Aws:Region.")]
    public async Task Run_BucketCannotBeUsed_EndsTheStart(object kind, string code, int status, int exitCode, string advice)
    {
        StartupException exception = await Should.ThrowAsync<StartupException>(() => RunAsync(new S3Fault((AwsErrorKind)kind, code, status)));

        exception.ExitCode.ShouldBe(exitCode);
        exception.Message.ShouldContain(advice);
        exception.Message.ShouldContain(code);
    }

    [Theory]
    [InlineData("Timeout", 0)]
    [InlineData("ConnectionError", 0)]
    [InlineData("SlowDown", 503)]
    public async Task Run_BucketDoesNotAnswer_ContinuesWithAWarning(string code, int status)
    {
        await RunAsync(new S3Fault(AwsErrorKind.Transient, code, status));

        _asked.ShouldBe(["first", "first", "second", "second"]);
        _log.Of(Unanswered).Count().ShouldBe(2);
    }

    [Fact]
    public async Task Run_SecondRequestIsAnswered_Continues()
    {
        await RunAsync(new S3Fault(AwsErrorKind.Throttled, "SlowDown", 503), failures: 1);

        _asked.ShouldBe(["first", "first", "second"]);
        _log.Lines.ShouldBeEmpty();
    }

    private Task RunAsync(S3Fault fault, int failures = int.MaxValue) => new LogBucketCheck(
        ["first", "second"],
        (bucket, _, _) =>
        {
            _asked.Enqueue(bucket);
            return new ValueTask<S3Fault>(_asked.Count <= failures ? fault : S3Fault.None);
        },
        _log).RunAsync(Token);
}
