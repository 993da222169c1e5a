using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Messaging.Tests.Sockets.TcpLines;

/// <summary>A self-signed certificate as PEM files, with its key and the key of another certificate.</summary>
public sealed class TestCertificate : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("certificate-");

    public TestCertificate()
    {
        Renew(new DateTimeOffset(2100, 1, 1, 0, 0, 0, TimeSpan.Zero));
        using ECDsa other = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        File.WriteAllText(OtherKeyFile, other.ExportPkcs8PrivateKeyPem());
    }

    public string CertificateFile => Path.Combine(_folder.FullName, "certificate.pem");

    public string KeyFile => Path.Combine(_folder.FullName, "key.pem");

    public string OtherKeyFile => Path.Combine(_folder.FullName, "other-key.pem");

    /// <summary>Replaces the certificate and its key.</summary>
    public void Renew(DateTimeOffset end)
    {
        using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        CertificateRequest request = new("CN=localhost", key, HashAlgorithmName.SHA256);
        using X509Certificate2 certificate = request.CreateSelfSigned(DateTimeOffset.UnixEpoch, end);
        File.WriteAllText(CertificateFile, certificate.ExportCertificatePem());
        File.WriteAllText(KeyFile, key.ExportPkcs8PrivateKeyPem());
    }

    public void Dispose() => _folder.Delete(recursive: true);
}
