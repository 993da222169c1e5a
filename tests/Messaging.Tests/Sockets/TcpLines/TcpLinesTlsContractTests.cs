using Quayside.Messaging.Testing.Xunit;

namespace Messaging.Tests.Sockets.TcpLines;

public sealed class TcpLinesTlsContractTests : MessageSourceContractTests, IClassFixture<TestCertificate>
{
    private readonly TestCertificate _certificate;

    public TcpLinesTlsContractTests(TestCertificate certificate) => _certificate = certificate;

    protected override ValueTask<SourceHarness> CreateAsync() => new(new TcpLinesHarness(options =>
    {
        options.Acknowledge = true;
        options.Certificate = _certificate.CertificateFile;
        options.CertificateKey = _certificate.KeyFile;
    }));
}
