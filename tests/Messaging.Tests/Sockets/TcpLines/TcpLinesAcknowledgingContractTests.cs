using Quayside.Messaging.Testing.Xunit;

namespace Messaging.Tests.Sockets.TcpLines;

public sealed class TcpLinesAcknowledgingContractTests : MessageSourceContractTests
{
    protected override ValueTask<SourceHarness> CreateAsync() => new(new TcpLinesHarness(options => options.Acknowledge = true));
}
