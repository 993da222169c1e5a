using Quayside.Messaging.Hosting;
using Quayside.Messaging.Testing.Xunit;

namespace Messaging.Tests.Testing;

public sealed class HandlerContractOfOneTests : HandlerContractTests
{
    protected override ValueTask<HandlerHarness> CreateAsync() =>
        new(new SampleHarness(worker => worker.AddHandler<Sample, InsertSample>("Samples", SampleJson.Default.Sample)));
}
