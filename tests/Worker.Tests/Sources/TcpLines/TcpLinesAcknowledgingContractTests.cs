using Worker.Tests.Sources.Contract;

namespace Worker.Tests.Sources.TcpLines;

public sealed class TcpLinesAcknowledgingContractTests : MessageSourceContract
{
    private protected override ValueTask<SourceHarness> CreateAsync() => new(new TcpLinesHarness(options => options.Acknowledge = true));
}
