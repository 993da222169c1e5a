using Quayside.Messaging.Sinks;
using Quayside.Messaging.Testing.Xunit;

namespace Messaging.Tests.Testing;

public sealed class MemoryObjectSinkTests : ObjectSinkContractTests
{
    protected override ValueTask<IObjectSink> OpenAsync() => new(new MemoryObjectSink());

    protected override ValueTask<byte[]?> ReadBackAsync(string key) => new(((MemoryObjectSink)Sink).Objects.GetValueOrDefault(key));
}
