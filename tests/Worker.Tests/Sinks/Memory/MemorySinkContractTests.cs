using Contracts.Sinks;
using Messaging.Sinks;
using Messaging.Sinks.Memory;

namespace Worker.Tests.Sinks.Memory;

public sealed class MemorySinkContractTests : ObjectSinkContract
{
    internal override ValueTask<IObjectSink> OpenAsync() => new(new MemorySink(new MemorySinkOptions()));

    internal override ValueTask<byte[]?> ReadBackAsync(string key) => new(((MemorySink)Sink).Objects.GetValueOrDefault(key));
}
