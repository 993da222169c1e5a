using Contracts.Sinks;
using Worker.Sinks;
using Worker.Sinks.Memory;

namespace Worker.Tests.Sinks.Memory;

public sealed class MemorySinkContractTests : ObjectSinkContract
{
    internal override ValueTask<IObjectSink> OpenAsync() => new(new MemorySink(new MemorySinkOptions()));

    internal override ValueTask<byte[]?> ReadBackAsync(string key) => new(((MemorySink)Sink).Objects.GetValueOrDefault(key));
}
