using Quayside.Messaging.Sinks;
using Quayside.Messaging.Sinks.Memory;
using Quayside.Messaging.Testing.Xunit;

namespace Messaging.Tests.Sinks.Memory;

public sealed class MemorySinkContractTests : ObjectSinkContractTests
{
    protected override ValueTask<IObjectSink> CreateAsync() => new(new MemorySink(new MemorySinkOptions()));

    protected override ValueTask<byte[]?> ReadBackAsync(string key) => new(((MemorySink)Subject).Objects.GetValueOrDefault(key));
}
