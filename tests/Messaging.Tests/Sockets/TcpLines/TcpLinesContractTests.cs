using Quayside.Messaging.Testing.Xunit;

namespace Messaging.Tests.Sockets.TcpLines;

public sealed class TcpLinesContractTests : MessageSourceContractTests
{
    protected override ValueTask<SourceHarness> CreateAsync() => new(new TcpLinesHarness());
}
