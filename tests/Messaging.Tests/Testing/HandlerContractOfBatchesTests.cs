using Quayside.Messaging.Hosting;
using Quayside.Messaging.Testing.Xunit;

namespace Messaging.Tests.Testing;

public sealed class HandlerContractOfBatchesTests : HandlerContractTests
{
    protected override ValueTask<HandlerHarness> CreateAsync() =>
        new(new SampleHarness(worker => worker.AddBatchHandler<Sample, InsertSamples>("Samples", SampleJson.Default.Sample)) { IsBatch = true });
}
