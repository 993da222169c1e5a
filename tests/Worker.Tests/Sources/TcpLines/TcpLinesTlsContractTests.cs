using Worker.Tests.Sources.Contract;

namespace Worker.Tests.Sources.TcpLines;

public sealed class TcpLinesTlsContractTests : MessageSourceContract, IClassFixture<TestCertificate>
{
    private readonly TestCertificate _certificate;

    public TcpLinesTlsContractTests(TestCertificate certificate) => _certificate = certificate;

    private protected override ValueTask<SourceHarness> CreateAsync() => new(new TcpLinesHarness(options =>
    {
        options.Acknowledge = true;
        options.Certificate = _certificate.CertificateFile;
        options.CertificateKey = _certificate.KeyFile;
    }));
}
