using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.Sockets.TcpLines;

/// <summary>Reads the certificate of TLS connections from its PEM files.</summary>
internal static class TlsCertificate
{
    /// <returns>Null when no certificate is configured.</returns>
    /// <exception cref="StartupException">A file is missing or unreadable, or the two do not belong together.</exception>
    public static SslServerAuthenticationOptions? Load(TcpLinesSourceOptions options)
    {
        if (options.Certificate is not { } certificate || options.CertificateKey is not { } key)
        {
            return null;
        }

        try
        {
            X509Certificate2 own = X509Certificate2.CreateFromPemFile(certificate, key);
            X509Certificate2Collection chain = [];
            chain.ImportFromPemFile(certificate);
            return new SslServerAuthenticationOptions
            {
                // Offline: a start must not depend on the issuer's servers.
                ServerCertificateContext = SslStreamCertificateContext.Create(own, chain, offline: true),
            };
        }
        catch (Exception exception) when (exception is CryptographicException or IOException or UnauthorizedAccessException or ArgumentException)
        {
            throw new StartupException(
                $"{TcpLinesSourceOptions.Section}:{nameof(TcpLinesSourceOptions.Certificate)} {certificate} with {nameof(TcpLinesSourceOptions.CertificateKey)} {key}: {exception.Message} Give PEM files of a certificate and its own key, not encrypted.",
                ExitCodes.Configuration,
                exception);
        }
    }
}
