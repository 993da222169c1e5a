using System.Security.Cryptography;
using System.Text.Json;
using Quayside.Messaging.Envelopes.Json;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.Envelopes.Sns;

/// <summary>
/// What SNS signs of a message: the names and the texts of some members, each with a line feed, in the order of their names
/// (https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html). Threads: one.
/// </summary>
internal sealed class SignedMessage : IDisposable
{
    private static readonly string[] OfNotification = ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"];
    private static readonly string[] OfConfirmation = ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"];

    private static readonly byte[][] Names = [
        .. OfConfirmation
            .Append("Subject")
            .Append("Signature")
            .Append("SignatureVersion")
            .Append("SigningCertURL")
            .Select(System.Text.Encoding.ASCII.GetBytes)];

    private readonly PooledBuffer _signed = BufferPool.Shared.Rent();

    private SignedMessage()
    {
    }

    /// <summary>Its topic; empty when it is no text.</summary>
    public string Topic { get; private set; } = string.Empty;

    /// <summary>Why it cannot have a valid signature; null when it may.</summary>
    public string? Fault { get; private set; }

    /// <summary>Where the certificate of its signature is: an address of SNS.</summary>
    public Uri? CertificateUrl { get; private set; }

    /// <summary>Of a confirmation the address that confirms it: one of SNS.</summary>
    public Uri? SubscribeUrl { get; private set; }

    /// <summary>The bytes that are signed.</summary>
    public ReadOnlySpan<byte> Signed => _signed.WrittenSpan;

    /// <summary>The signature.</summary>
    public byte[] Signature { get; private set; } = [];

    /// <summary>The hash of the signature's version.</summary>
    public HashAlgorithmName Hash { get; private set; }

    /// <param name="body">A body with the members of its kind.</param>
    /// <param name="kind">The kind.</param>
    public static SignedMessage Read(ReadOnlyMemory<byte> body, SnsKind kind)
    {
        SignedMessage message = new();
        Span<JsonMember> members = stackalloc JsonMember[Names.Length];
        if (!JsonMembers.TryFind(body.Span, Names, members, out string? fault))
        {
            message.Fault = fault;
            return message;
        }

        message.Topic = message.TextOf(body.Span, members, "TopicArn") ?? string.Empty;
        message.Fault = message.ReadSignature(body.Span, members) ?? message.ReadSigned(body.Span, members, kind);
        return message;
    }

    public void Dispose() => _signed.Dispose();

    private static JsonMember MemberOf(ReadOnlySpan<JsonMember> members, string name) =>
        members[Array.FindIndex(Names, other => other.AsSpan().SequenceEqual(System.Text.Encoding.ASCII.GetBytes(name)))];

    private string? ReadSignature(ReadOnlySpan<byte> body, ReadOnlySpan<JsonMember> members)
    {
        string? version = TextOf(body, members, "SignatureVersion");
        switch (version)
        {
            case "1":
                Hash = HashAlgorithmName.SHA1;
                break;
            case "2":
                Hash = HashAlgorithmName.SHA256;
                break;
            default:
                return version is null ? "it has no SignatureVersion" : $"its SignatureVersion is {UntrustedText.Shorten(version)}, not 1 or 2";
        }

        Span<byte> signature = stackalloc byte[1_024];
        if (TextOf(body, members, "Signature") is not { } text || !Convert.TryFromBase64String(text, signature, out int length) || length == 0)
        {
            return "it has no Signature in base64";
        }

        Signature = signature[..length].ToArray();
        string? url = TextOf(body, members, "SigningCertURL");
        if (!SnsClient.IsOfSns(url, out Uri? certificate) || !certificate.AbsolutePath.EndsWith(".pem", StringComparison.Ordinal))
        {
            return $"its SigningCertURL {UntrustedText.Shorten(url)} is no certificate of SNS (https://sns.<region>.amazonaws.com/….pem)";
        }

        CertificateUrl = certificate;
        return null;
    }

    private string? ReadSigned(ReadOnlySpan<byte> body, ReadOnlySpan<JsonMember> members, SnsKind kind)
    {
        if (kind != SnsKind.Notification)
        {
            string? url = TextOf(body, members, "SubscribeURL");
            if (!SnsClient.IsOfSns(url, out Uri? subscribe))
            {
                return $"its SubscribeURL {UntrustedText.Shorten(url)} is no address of SNS (https://sns.<region>.amazonaws.com)";
            }

            SubscribeUrl = subscribe;
        }

        foreach (string name in kind == SnsKind.Notification ? OfNotification : OfConfirmation)
        {
            JsonMember member = MemberOf(members, name);
            if (name == "Subject" && !member.IsPresent)
            {
                continue;
            }

            _signed.Append(System.Text.Encoding.ASCII.GetBytes(name));
            _signed.Append("\n"u8);
            int start = _signed.Length;
            if (member.Type != JsonTokenType.String || !JsonMembers.TryAppendText(body, member, _signed))
            {
                return $"it has no text {name}";
            }

            // With a line feed elsewhere, the same signed bytes could be read as other members. SNS has none there.
            if (name != "Message" && _signed.WrittenSpan[start..].Contains((byte)'\n'))
            {
                return $"its {name} has a line feed";
            }

            _signed.Append("\n"u8);
        }

        return null;
    }

    /// <returns>Null for a member that is none, or no Unicode text.</returns>
    private string? TextOf(ReadOnlySpan<byte> body, ReadOnlySpan<JsonMember> members, string name)
    {
        JsonMember member = MemberOf(members, name);
        try
        {
            return member.Type == JsonTokenType.String && JsonMembers.TryAppendText(body, member, _signed)
                ? System.Text.Encoding.UTF8.GetString(_signed.WrittenSpan)
                : null;
        }
        finally
        {
            _signed.Truncate(0);
        }
    }
}
