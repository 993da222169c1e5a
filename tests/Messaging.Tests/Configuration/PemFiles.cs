using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Messaging.Tests.Configuration;

/// <summary>A certificate, its key, and its key with a password. Existing files stay.</summary>
internal static class PemFiles
{
    public static void Write(string certificate, string key, string encrypted)
    {
        if (File.Exists(certificate))
        {
            return;
        }

        using ECDsa keys = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        using X509Certificate2 made = new CertificateRequest("CN=localhost", keys, HashAlgorithmName.SHA256).CreateSelfSigned(
            DateTimeOffset.UnixEpoch, DateTimeOffset.UnixEpoch.AddYears(200));
        File.WriteAllText(certificate, made.ExportCertificatePem());
        File.WriteAllText(key, keys.ExportPkcs8PrivateKeyPem());
        File.WriteAllText(
            encrypted, keys.ExportEncryptedPkcs8PrivateKeyPem("word", new PbeParameters(PbeEncryptionAlgorithm.Aes256Cbc, HashAlgorithmName.SHA256, 1_000)));
    }
}
