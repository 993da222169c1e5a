using System.Collections.Concurrent;
using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using System.Text.Json;

namespace Messaging.Tests.Envelopes;

/// <summary>Signs as SNS does, with a certificate of a test's own authority, and answers for the host of SNS. No byte leaves the process.</summary>
internal sealed class SnsSignatory : HttpMessageHandler
{
    public const string Topic = "arn:aws:sns:eu-west-1:123456789012:orders";
    public const string CertificateUrl = "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-1.pem";
    public const string SubscribeUrl =
        "https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=arn:aws:sns:eu-west-1:123456789012:orders&Token=2336412f37";

    private static readonly DateTimeOffset Made = DateTimeOffset.UtcNow;

    // Made once: it takes longer than a test.
    private static readonly RSA AuthorityKey = RSA.Create(2048);
    private static readonly RSA UsualKey = RSA.Create(2048);

    private readonly RSA _key;

    /// <param name="from">When its certificate begins to be valid, from now; a day ago by default.</param>
    /// <param name="until">When it ends to be valid; in a day by default.</param>
    /// <param name="key">Its key; null for the one that all have.</param>
    public SnsSignatory(TimeSpan from = default, TimeSpan until = default, RSA? key = null)
    {
        _key = key ?? UsualKey;
        CertificateRequest authority = new("CN=Test authority", AuthorityKey, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
        authority.CertificateExtensions.Add(
            new X509BasicConstraintsExtension(certificateAuthority: true, hasPathLengthConstraint: false, pathLengthConstraint: 0, critical: true));
        using X509Certificate2 issuer = authority.CreateSelfSigned(Made.AddYears(-2), Made.AddYears(2));
        CertificateRequest request = new("CN=sns.amazonaws.com", _key, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
        using X509Certificate2 certificate = request.Create(
            issuer, Made + (from == default ? TimeSpan.FromDays(-1) : from), Made + (until == default ? TimeSpan.FromDays(1) : until), [1, 2, 3]);
        Pem = certificate.ExportCertificatePem();
        Answer = _ => new HttpResponseMessage(HttpStatusCode.OK) { Content = new StringContent(Pem) };
    }

    public string Pem { get; }

    /// <summary>The addresses that were called.</summary>
    public ConcurrentQueue<string> Called { get; } = [];

    /// <summary>Answers a call; by default with the certificate, whatever is asked for.</summary>
    public Func<string, HttpResponseMessage> Answer { get; set; }

    /// <summary>The members of a notification, signed.</summary>
    public Dictionary<string, string> Notification(string text, string version = "2", string? subject = null)
    {
        Dictionary<string, string> members = new()
        {
            ["Type"] = "Notification",
            ["MessageId"] = "22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324",
            ["TopicArn"] = Topic,
            ["Message"] = text,
            ["Timestamp"] = "2026-11-27T11:22:33.444Z",
        };
        if (subject is not null)
        {
            members["Subject"] = subject;
        }

        return Sign(members, version);
    }

    /// <summary>The members of a confirmation, signed.</summary>
    public Dictionary<string, string> Confirmation(string type = "SubscriptionConfirmation", string topic = Topic, string url = SubscribeUrl) => Sign(
        new()
        {
            ["Type"] = type,
            ["MessageId"] = "165545c9-2a5c-472c-8df2-7ff2be2b3b1b",
            ["Token"] = "2336412f37",
            ["TopicArn"] = topic,
            ["Message"] = "You have chosen to subscribe to the topic.\nTo confirm the subscription, visit the SubscribeURL included in this message.",
            ["SubscribeURL"] = url,
            ["Timestamp"] = "2026-11-27T11:22:33.444Z",
        },
        "2");

    /// <summary>Adds the signature of the members: the string is built as the documentation of SNS describes it.</summary>
    public Dictionary<string, string> Sign(Dictionary<string, string> members, string version)
    {
        string[] names = members["Type"] == "Notification"
            ? ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"]
            : ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"];
        StringBuilder signed = new();
        foreach (string name in names.Where(members.ContainsKey))
        {
            signed.Append(name).Append('\n').Append(members[name]).Append('\n');
        }

        members["SignatureVersion"] = version;
        members[
            "Signature"] = Convert.ToBase64String(
                _key.SignData(
                    Encoding.UTF8.GetBytes(signed.ToString()), version == "1" ? HashAlgorithmName.SHA1 : HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1));
        members["SigningCertURL"] = CertificateUrl;
        return members;
    }

    public static string Json(Dictionary<string, string> members) => JsonSerializer.Serialize(members);

    protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        string url = request.RequestUri!.OriginalString;
        Called.Enqueue(url);
        return Task.FromResult(Answer(url));
    }

    protected override void Dispose(bool disposing)
    {
        // The worker disposes its handler; the test goes on signing.
    }
}
