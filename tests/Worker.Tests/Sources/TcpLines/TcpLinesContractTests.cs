using Worker.Tests.Sources.Contract;

namespace Worker.Tests.Sources.TcpLines;

public sealed class TcpLinesContractTests : MessageSourceContract
{
    private protected override ValueTask<SourceHarness> CreateAsync() => new(new TcpLinesHarness());
}
