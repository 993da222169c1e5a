using Benchmarks.Aws.Sqs;

namespace Benchmarks.Tests.Aws.Sqs;

/// <summary>Both clients receive and delete the same ten messages.</summary>
public sealed class SqsClientSuiteTests
{
    [Fact]
    public Task Setup_BothClients_ReceiveAndDeleteTheSame() => new SqsClientBenchmarks().Setup();
}
