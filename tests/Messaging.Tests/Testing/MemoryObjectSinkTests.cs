using Quayside.Messaging.Sinks;
using Quayside.Messaging.Testing.Xunit;

namespace Messaging.Tests.Testing;

public sealed class MemoryObjectSinkTests : ObjectSinkContractTests
{
    protected override ValueTask<IObjectSink> CreateAsync() => new(new MemoryObjectSink());

    protected override ValueTask<byte[]?> ReadBackAsync(string key) => new(((MemoryObjectSink)Subject).Objects.GetValueOrDefault(key));
}
