using Integration.Tests.Faults.S3;
using Integration.Tests.Servers;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Aws.S3.Sink;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Sinks;
using AwsEndpoint = Integration.Tests.Servers.AwsEndpoint;
using AwsOptions = Quayside.Messaging.Aws.AwsOptions;
using S3Fault = Integration.Tests.Faults.S3.S3Fault;

namespace Integration.Tests.Aws.S3;

/// <summary>The check at start, and what the operator sees of it.</summary>
public class S3SinkCheckTests(RealS3 real)
{
    // Longer than a busy machine takes for an answer.
    private static readonly TimeSpan WaitLimit = TimeSpan.FromMinutes(1);

    /// <summary>The client under test; a subclass in the folder Direct uses the other client.</summary>
    internal virtual S3ClientKind Client => S3ClientKind.Sdk;

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Check_BucketExists_LogsNothing()
    {
        await using FaultyS3 s3 = await FaultyS3.StartAsync();

        (await CheckAsync(s3.Endpoint, "archive")).ShouldBeEmpty();

        s3.History.Snapshot().Length.ShouldBe(1);
    }

    [Fact]
    public async Task Check_NoSuchBucket_FailsWithOneSentence()
    {
        await using FaultyS3 s3 = await FaultyS3.StartAsync();

        StartupException exception = await Should.ThrowAsync<StartupException>(CheckAsync(s3.Endpoint, "not-there"));

        exception.ExitCode.ShouldBe(ExitCodes.Unavailable);
        exception.Message.ShouldContain("The bucket 'not-there' does not exist: create it or set Sinks:S3:Bucket.");
        exception.Message.ShouldNotContain('\n');
    }

    [Fact]
    public async Task Check_ListingDenied_StartsWithAWarning()
    {
        await using FaultyS3 s3 = await FaultyS3.StartAsync();
        s3.Script = FaultScript.Empty.With(new FaultRule { Fault = S3Fault.AccessDenied, Operation = S3Operation.ListObjects });

        string warning = (await CheckAsync(s3.Endpoint, "archive")).ShouldHaveSingleItem();

        warning.ShouldContain("s3:ListBucket");
    }

    [Theory]
    [InlineData(200)]
    [InlineData(302)]
    public async Task Check_PageOfAProxy_StartsWithAWarning(int status)
    {
        await using StubServer stub = await StubServer.StartAsync(context =>
        {
            context.Response.StatusCode = status;
            context.Response.Headers.Location = "/login";
            return context.Response.WriteAsync("<html>sign in to the hotel</html>");
        });

        (await CheckAsync(stub.Endpoint, "archive")).ShouldHaveSingleItem().ShouldContain("Bucket archive is not at its endpoint (S3 ListObjectsV2: ");
    }

    [Fact]
    public async Task Check_NoListener_StartsWithAWarning()
    {
        FaultyS3 s3 = await FaultyS3.StartAsync();
        await s3.DisposeAsync();

        (await CheckAsync(s3.Endpoint, "archive")).ShouldHaveSingleItem()
            .ShouldContain($"is unreachable (S3 ListObjectsV2: ConnectionError: Connection refused ({s3.Endpoint.ServiceUrl.Authority}))");
    }

    [Theory]
    [InlineData("SlowDown")]
    [InlineData("InternalError")]
    [InlineData("HangBeforeCommit")]
    public async Task Check_StoreFails_StartsWithAWarning(string fault)
    {
        await using FaultyS3 s3 = await FaultyS3.StartAsync();
        s3.Script = FaultScript.Empty.With(new FaultRule { Fault = Enum.Parse<S3Fault>(fault), Operation = S3Operation.ListObjects });

        (await CheckAsync(s3.Endpoint, "archive", timeout: TimeSpan.FromSeconds(1))).ShouldHaveSingleItem().ShouldContain("is unreachable");

        s3.History.Snapshot().Length.ShouldBeInRange(1, 2);
    }

    [Fact]
    public async Task Check_ExpiredCredentials_Fails()
    {
        await using FaultyS3 s3 = await FaultyS3.StartAsync();
        s3.Script = FaultScript.Empty.With(new FaultRule { Fault = S3Fault.ExpiredToken, Operation = S3Operation.ListObjects });

        StartupException exception = await Should.ThrowAsync<StartupException>(CheckAsync(s3.Endpoint, "archive"));

        exception.ExitCode.ShouldBe(ExitCodes.NoPermission);
        exception.Message.ShouldContain("expired");
    }

    [Fact]
    public async Task Check_BucketInAnotherRegion_NamesIt()
    {
        await using StubServer stub = await StubServer.StartAsync(context =>
        {
            context.Response.Headers["x-amz-bucket-region"] = "eu-central-1";
            return StubServer.FailAsync(context, 301, "PermanentRedirect");
        });

        StartupException exception = await Should.ThrowAsync<StartupException>(CheckAsync(stub.Endpoint, "archive"));

        exception.ExitCode.ShouldBe(ExitCodes.Configuration);
        exception.Message.ShouldContain("region eu-central-1");
    }

    [Fact]
    public async Task Check_NoCredentials_SaysHowToGiveThem()
    {
        await using FaultyS3 s3 = await FaultyS3.StartAsync();
        AwsOptions aws = new() { Endpoint = s3.Endpoint.ServiceUrl, Region = "us-east-1", Profile = "no-such-profile" };
        await using S3Sink sink = S3Sink.Create(
            new S3SinkOptions { Client = Client, Bucket = "archive" }, aws, new SinkServices { Services = null!, Loggers = new LoggerFactory() });

        StartupException exception = await Should.ThrowAsync<StartupException>(sink.CheckAsync(Token));

        exception.ExitCode.ShouldBe(ExitCodes.NoPermission);
        exception.Message.ShouldContain("AWS_ACCESS_KEY_ID");
        exception.Message.ShouldContain("no-such-profile");
        s3.History.Snapshot().ShouldBeEmpty();
        (await sink.StoreAsync("k"u8.ToArray(), "x"u8.ToArray(), Token)).Status.ShouldBe(SinkStatus.Refused);
    }

    [Fact]
    public async Task Check_Unconditional_Warns()
    {
        await using FaultyS3 s3 = await FaultyS3.StartAsync();

        (await CheckAsync(s3.Endpoint, "archive", conditional: false)).ShouldHaveSingleItem().ShouldContain("overwrite each other");
    }

    [Theory]
    [InlineData(null, "SignatureDoesNotMatch")]
    [InlineData("unknown", "InvalidAccessKeyId")]
    public async Task Check_WrongKeysAtARealStore_AreRefused(string? accessKey, string code)
    {
        AwsEndpoint endpoint = real.Require();
        string bucket = await endpoint.CreateBucketAsync("check");
        AwsEndpoint wrong = accessKey is null ? endpoint with { SecretKey = "canary-secret" } : endpoint with { AccessKey = accessKey };

        StartupException exception = await Should.ThrowAsync<StartupException>(CheckAsync(wrong, bucket));

        exception.ExitCode.ShouldBe(ExitCodes.NoPermission);
        exception.Message.ShouldContain(code);
        exception.ToString().ShouldNotContain("canary-secret");
    }

    [Fact]
    public async Task Check_NoSuchBucketAtARealStore_Fails()
    {
        StartupException exception = await Should.ThrowAsync<StartupException>(CheckAsync(real.Require(), $"none-{Guid.NewGuid():n}"));

        exception.ExitCode.ShouldBe(ExitCodes.Unavailable);
        exception.Message.ShouldContain("does not exist");
    }

    private async Task<string[]> CheckAsync(AwsEndpoint endpoint, string bucket, bool conditional = true, TimeSpan? timeout = null)
    {
        using WarningRecorder recorder = new();
        using LoggerFactory loggers = new([recorder]);
        S3SinkOptions options = new()
        {
            Client = Client,
            Bucket = bucket,
            Conditional = conditional,
            ConnectTimeout = timeout ?? WaitLimit,
            AttemptTimeout = timeout ?? WaitLimit,
            TotalTimeout = WaitLimit,
        };
        await using S3Sink sink = S3Sinks.Open(endpoint, options, loggers);
        await sink.CheckAsync(Token);
        return [.. recorder.Warnings];
    }

    private sealed class WarningRecorder : ILoggerProvider, ILogger
    {
        public List<string> Warnings { get; } = [];

        public ILogger CreateLogger(string categoryName) => this;

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Warning;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
            Warnings.Add(formatter(state, exception));

        public void Dispose()
        {
        }
    }
}
