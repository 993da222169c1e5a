using Amazon.Runtime;
using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.Sqs.Wire;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Buffers;

namespace Messaging.Tests.Aws.Sqs.Wire;

/// <summary>A client of a <see cref="FakeService"/> with its own buffer pool, to which every buffer must be returned at the end.</summary>
internal sealed class WireClient : IDisposable
{
    public const string Secret = "canary-secret-access-key";
    public const string Token = "canary-session-token";
    public const string Url = "https://sqs.eu-west-1.amazonaws.com/123456789012/orders";

    public WireClient(
        Uri address, SqsWireOptions? options = null, TimeProvider? time = null, Func<AWSCredentials>? credentials = null, HttpMessageHandler? handler = null)
    {
        time ??= TimeProvider.System;
        credentials ??= () => new SessionAWSCredentials("AKIDTEST", Secret, Token);
        Clock = new AwsClock(time);
        Client = new SqsClient(
            new AwsEndpoint(address, "eu-west-1", IsCustom: true),
            new AwsCredentialSource(() => Task.FromResult(credentials()), time),
            Clock,
            handler ?? AwsHttpHandler.Create(),
            Buffers,
            time,
            options ?? new SqsWireOptions(),
            Calls);
    }

    public BufferPool Buffers { get; } = new();

    public AwsClock Clock { get; }

    public ApiCalls Calls { get; } = new();

    public SqsClient Client { get; }

    /// <summary>Receives up to 10 messages.</summary>
    public async Task<SqsReceivedMessage[]> ReceiveAsync(int wait = 0, int visibility = 30, CancellationToken cancellationToken = default)
    {
        SqsReceivedMessage[] messages = ReceivedMessages.Clean(10);
        (int count, _, _) = await Client.ReceiveAsync(Url, wait, visibility, messages, cancellationToken);
        return messages[..count];
    }

    /// <summary>Asserts that the call fails and that its exception shows no secret.</summary>
    public async Task<AwsServiceException> FailAsync(Func<SqsClient, Task> call)
    {
        AwsServiceException error = await Should.ThrowAsync<AwsServiceException>(() => call(Client));
        error.ToString().ShouldNotContain("canary");
        Buffers.Outstanding.ShouldBe(0);
        return error;
    }

    public Task<AwsServiceException> FailReceiveAsync() => FailAsync(_ => ReceiveAsync());

    public void Dispose()
    {
        Client.Dispose();
        Buffers.Outstanding.ShouldBe(0);
    }
}
