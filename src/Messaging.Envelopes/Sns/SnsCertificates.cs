using System.Diagnostics.CodeAnalysis;
using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Envelopes.Sns;

/// <summary>
/// The certificates with which SNS signs. They are fetched from SNS over TLS, which shows whose they are, and kept for a day: SNS has one at a time per region.
/// Threads: any.
/// </summary>
internal sealed class SnsCertificates(SnsClient client, TimeProvider time)
{
    private const int MaxKept = 16;

    private static readonly TimeSpan Lifetime = TimeSpan.FromDays(1);

    private readonly Dictionary<Uri, (SnsCertificate Certificate, DateTimeOffset Until)> _kept = [];

    /// <summary>The time by which certificates are valid.</summary>
    public DateTimeOffset Now => time.GetUtcNow();

    /// <param name="url">An address of SNS.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>The certificate, or why there is none.</returns>
    public async ValueTask<(SnsCertificate? Certificate, Settlement Refusal)> GetAsync(Uri url, CancellationToken cancellationToken)
    {
        if (Find(url) is { } kept)
        {
            return (kept, default);
        }

        (HttpStatusCode? status, byte[] body, string fault) = await client.GetAsync(url, cancellationToken);
        if (status != HttpStatusCode.OK || !SnsCertificate.TryRead(body, out SnsCertificate? certificate, out fault))
        {
            return (null, Settlement.Transient($"The certificate of the signature could not be had from {url.Host}: {fault}."));
        }

        lock (_kept)
        {
            if (_kept.Count >= MaxKept)
            {
                _kept.Clear();
            }

            _kept[url] = (certificate, Now + Lifetime);
        }

        return (certificate, default);
    }

    private SnsCertificate? Find(Uri url)
    {
        lock (_kept)
        {
            return _kept.TryGetValue(url, out (SnsCertificate Certificate, DateTimeOffset Until) kept) && Now < kept.Until ? kept.Certificate : null;
        }
    }
}

/// <summary>A certificate with which SNS signs. Threads: any.</summary>
/// <param name="PublicKey">Its RSA key (SubjectPublicKeyInfo).</param>
/// <param name="NotBefore">When it begins to be valid.</param>
/// <param name="NotAfter">When it ends to be valid.</param>
internal sealed record SnsCertificate(byte[] PublicKey, DateTimeOffset NotBefore, DateTimeOffset NotAfter)
{
    public static bool TryRead(byte[] pem, [NotNullWhen(true)] out SnsCertificate? certificate, out string fault)
    {
        certificate = null;
        try
        {
            using X509Certificate2 read = X509CertificateLoader.LoadCertificate(pem);
            using RSA? key = read.GetRSAPublicKey();
            fault = key is null ? "the certificate has no RSA key" : string.Empty;
            certificate = key is null
                ? null
                : new SnsCertificate(
                    key.ExportSubjectPublicKeyInfo(), new DateTimeOffset(read.NotBefore.ToUniversalTime()),
                    new DateTimeOffset(read.NotAfter.ToUniversalTime()));
        }
        catch (CryptographicException)
        {
            fault = "the answer is no certificate";
        }

        return certificate is not null;
    }

    public bool IsValidAt(DateTimeOffset now) => now >= NotBefore && now <= NotAfter;

    /// <summary>True for a message whose signature was made with the key of this certificate.</summary>
    public bool Verifies(SignedMessage message)
    {
        using RSA key = RSA.Create();
        key.ImportSubjectPublicKeyInfo(PublicKey, out _);
        return key.VerifyData(message.Signed, message.Signature, message.Hash, RSASignaturePadding.Pkcs1);
    }
}
