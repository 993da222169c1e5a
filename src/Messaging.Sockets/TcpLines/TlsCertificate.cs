using System.Buffers.Binary;
using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Sockets.TcpLines;

/// <summary>The certificate of TLS connections, and why one of them failed.</summary>
internal static class TlsCertificate
{
    private const string Setting = $"{TcpLinesSourceOptions.Section}:{nameof(TcpLinesSourceOptions.Certificate)}";

    // Of the ClientHello's version (RFC 8446, section 4.1.2), behind the headers of the record and the message. A client of TLS 1.3 writes 1.2 there.
    private const int VersionOffset = 9;
    private const int Tls10 = 0x0301;
    private const int Tls12 = 0x0303;

    // What OpenSSL writes before the name of an alert that the sender sent.
    private const string Alert = " alert ";

    /// <returns>Null when no certificate is configured.</returns>
    /// <exception cref="StartupException">A file is missing or unreadable, the two do not belong together, or the certificate is not valid now.</exception>
    public static PresentedCertificate? Open(TcpLinesSourceOptions options, string route, TimeProvider time, ILogger logger)
    {
        if (options.Certificate is not { } file)
        {
            return null;
        }

        PresentedCertificate certificate = new(Setting, route, file, options.CertificateKey, password: null, time, logger);
        if (certificate.Problem is { } problem)
        {
            certificate.Dispose();
            throw new StartupException($"{problem} ({file})", ExitCodes.Configuration);
        }

        return certificate;
    }

    /// <summary>What a handshake with these certificates needs. Offline: a start must not depend on the issuer's servers.</summary>
    public static SslServerAuthenticationOptions OptionsOf(X509Certificate2Collection chain) => new()
    {
        ServerCertificateContext = SslStreamCertificateContext.Create(chain[0], [.. chain.Skip(1)], offline: true),
    };

    /// <summary>Why a handshake failed, for the log.</summary>
    /// <param name="exception">Of the handshake.</param>
    /// <param name="first">The connection's first bytes.</param>
    public static string Describe(AuthenticationException exception, ReadOnlySpan<byte> first)
    {
        string text = exception.GetBaseException().Message;
        int alert = text.LastIndexOf(Alert, StringComparison.Ordinal);
        bool isHello = ForeignProtocol.IsClientHello(first) && first.Length > VersionOffset + 1;
        int version = isHello ? BinaryPrimitives.ReadUInt16BigEndian(first[VersionOffset..]) : Tls12;
        return version is >= Tls10 and < Tls12
            ? $"the sender knows TLS only up to 1.{version - Tls10}, and the worker needs a newer version: update the sender"
            : alert >= 0 ? $"the sender refused {Setting} with the TLS alert \"{UntrustedText.Shorten(text[(alert + Alert.Length)..])}\""
            : UntrustedText.Shorten(text);
    }
}
