using Messaging.Hosting;
using Messaging.Testing.Xunit;

namespace Worker.Tests.Testing;

public sealed class HandlerContractOfBatchesTests : HandlerContractTests
{
    protected override ValueTask<HandlerHarness> CreateAsync() =>
        new(new SampleHarness(worker => worker.AddBatchHandler<Sample, InsertSamples>("Samples", SampleJson.Default.Sample)) { IsBatch = true });
}
