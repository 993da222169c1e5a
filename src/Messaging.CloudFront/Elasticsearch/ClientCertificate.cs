using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Quayside.Messaging.CloudFront.Elasticsearch;

/// <summary>Reads the certificate that the worker shows to the server.</summary>
internal static class ClientCertificate
{
    /// <summary>Reads a file of PKCS #12 (.pfx, .p12), or of PEM with its key in the same file or another.</summary>
    /// <param name="file">The certificate.</param>
    /// <param name="keyFile">The PEM file of its key; null when the key is in <paramref name="file"/>.</param>
    /// <param name="password">Of an encrypted key; null for none.</param>
    /// <exception cref="CryptographicException">The content cannot be used.</exception>
    /// <exception cref="IOException">A file cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">The same.</exception>
    public static X509Certificate2 Load(string file, string? keyFile, string? password)
    {
        if (IsPkcs12(file))
        {
            return X509CertificateLoader.LoadPkcs12FromFile(file, password);
        }

        return password is null ? X509Certificate2.CreateFromPemFile(file, keyFile) : X509Certificate2.CreateFromEncryptedPemFile(file, password, keyFile);
    }

    /// <summary>Why the file cannot be used, as the predicate of a sentence; null when it can.</summary>
    public static string? FindProblem(string file, string? keyFile, string? password)
    {
        try
        {
            using X509Certificate2 certificate = Load(file, keyFile, password);
            return certificate.HasPrivateKey ? null : "must contain the private key too.";
        }
        catch (Exception exception) when (exception is CryptographicException or IOException or UnauthorizedAccessException or ArgumentException)
        {
            return $"must be a certificate with its private key, as PEM or PKCS #12 (see {nameof(ElasticsearchSinkOptions.ClientCertificateKey)} and {nameof(ElasticsearchSinkOptions.ClientCertificatePassword)}): {exception.Message}";
        }
    }

    public static bool IsPkcs12(string file) => Path.GetExtension(file).ToUpperInvariant() is ".PFX" or ".P12";
}
