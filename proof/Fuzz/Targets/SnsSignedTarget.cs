using System.Text;
using System.Text.Json;
using Quayside.Messaging.Envelopes.Sns;

namespace Proof.Fuzz.Targets;

/// <summary>What SNS signs of a message, of each kind, beside JsonDocument.</summary>
internal sealed class SnsSignedTarget : FuzzTarget
{
    private const string Rest = "\"TopicArn\":\"arn:aws:sns:eu-west-1:1:t\",\"Timestamp\":\"2026-01-31T10:00:00.000Z\",\"SignatureVersion\":\"1\","
        + "\"Signature\":\"AAAA\",\"SigningCertURL\":\"https://sns.eu-west-1.amazonaws.com/a.pem\"}";

    private static readonly string[] OfNotification = ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"];
    private static readonly string[] OfConfirmation = ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"];

    public override IReadOnlyList<byte[]> Corpus { get; } =
    [
        .. Texts.Utf8(
            "{\"Type\":\"Notification\",\"MessageId\":\"1\",\"Message\":\"a\\n\\u00e9\"," + Rest,
            "{\"Type\":\"Notification\",\"MessageId\":\"1\",\"Subject\":\"s\",\"Message\":\"\"," + Rest,
            "{\"Type\":\"SubscriptionConfirmation\",\"MessageId\":\"1\",\"Message\":\"m\",\"Token\":\"t\","
                + "\"SubscribeURL\":\"https://sns.eu-west-1.amazonaws.com/?a=b\"," + Rest),
    ];

    public override IReadOnlyList<byte[]> Dictionary { get; } =
        [.. Texts.Json,
            .. Texts.Utf8(
                "\"Subject\":", "\"Message\":", "\"Token\":", "\"SignatureVersion\":\"2\"", "\"SignatureVersion\":\"3\"", "https://sns.eu-west-1.amazonaws.com",
                ".pem", "@", "https://a/", "\\n")];

    public override int Run(ReadOnlyMemory<byte> input)
    {
        HashCode seen = default;
        foreach (SnsKind kind in (SnsKind[])[SnsKind.Notification, SnsKind.Subscription, SnsKind.Unsubscription])
        {
            using SignedMessage message = SignedMessage.Read(input, kind);
            seen.Add(message.Fault?.Split(' ')[..3].Aggregate(static (left, right) => $"{left} {right}"));
            if (message.Fault is null)
            {
                Check(input.ToArray(), message, kind);
            }
        }

        return seen.ToHashCode();
    }

    private static void Check(byte[] body, SignedMessage message, SnsKind kind)
    {
        using JsonDocument document = JsonDocument.Parse(body.AsMemory(body is [0xEF, 0xBB, 0xBF, ..] ? 3 : 0), new JsonDocumentOptions { MaxDepth = 1_000 });
        byte[]? TextOf(string name)
        {
            JsonElement value = document.RootElement.EnumerateObject().LastOrDefault(member => Texts.IsName(member, name)).Value;
            return value.ValueKind == JsonValueKind.String ? Texts.Unescape(value) : null;
        }

        List<byte> signed = [];
        foreach (string name in kind == SnsKind.Notification ? OfNotification : OfConfirmation)
        {
            if (TextOf(name) is { } text)
            {
                signed.AddRange([.. Encoding.ASCII.GetBytes(name), (byte)'\n', .. text, (byte)'\n']);
            }
            else
            {
                FuzzException.ThrowUnless(name == "Subject", $"accepted without {name}");
            }
        }

        FuzzException.ThrowUnless(signed.ToArray().AsSpan().SequenceEqual(message.Signed), "what is signed differs");
        FuzzException.ThrowIfDifferent(message.Topic, Encoding.UTF8.GetString(TextOf("TopicArn")!), "the topic");
        FuzzException.ThrowUnless(
            Convert.FromBase64String(Encoding.UTF8.GetString(TextOf("Signature")!)).AsSpan().SequenceEqual(message.Signature), "the signature differs");
        foreach (Uri? address in (Uri?[])[message.CertificateUrl, message.SubscribeUrl])
        {
            FuzzException.ThrowUnless(
                address is null
                    || (address.Scheme == "https"
                        && address.IsDefaultPort
                        && address.UserInfo.Length == 0
                        && System.Text.RegularExpressions.Regex.IsMatch(address.Host, @"^sns\.[a-z0-9-]+\.amazonaws\.com(\.cn)?$")),
                $"{address} is no address of SNS");
        }
    }
}
