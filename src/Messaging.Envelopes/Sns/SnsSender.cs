using System.Globalization;
using System.Net;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Envelopes.Sns;

/// <summary>
/// Checks that a message was sent by SNS for an allowed topic, and confirms subscriptions to these. A failure of SNS is never reported to the route's breaker:
/// anybody could cause one with a made-up message. Threads: any.
/// </summary>
/// <param name="topics">The ARNs of the allowed topics.</param>
/// <param name="certificates">Where signatures are checked with.</param>
/// <param name="client">Confirms subscriptions.</param>
/// <param name="route">The route, for the log.</param>
/// <param name="logger">The log.</param>
internal sealed partial class SnsSender(string[] topics, SnsCertificates certificates, SnsClient client, string route, ILogger logger)
{
    public const string TopicReason = "sns-topic-not-allowed";
    public const string SignatureReason = "sns-signature-invalid";
    public const string NotConfirmedReason = "sns-subscription-not-confirmed";

    private readonly ILogger _logger = logger;

    /// <summary>Checks one message, and does what it asks for.</summary>
    /// <param name="body">A body with the members of the kind.</param>
    /// <param name="kind">Its kind.</param>
    /// <param name="cancellationToken">The message's token.</param>
    /// <returns>Why it is refused; undecided for a message that is accepted.</returns>
    public async ValueTask<Settlement> CheckAsync(ReadOnlyMemory<byte> body, SnsKind kind, CancellationToken cancellationToken)
    {
        using SignedMessage message = SignedMessage.Read(body, kind);
        if (!topics.Contains(message.Topic, StringComparer.Ordinal))
        {
            return Settlement.DeadLetter(
                TopicReason,
                $"The message is of the topic {UntrustedText.Shorten(message.Topic)}, "
                    + $"which {SnsOptions.Section}:{nameof(SnsOptions.Topics)} does not name. If its owner may be trusted, add it.");
        }

        if (message.Fault is { } fault)
        {
            return Invalid(fault);
        }

        (SnsCertificate? certificate, Settlement refusal) = await certificates.GetAsync(message.CertificateUrl!, cancellationToken);
        if (certificate is null)
        {
            return refusal;
        }

        if (!certificate.IsValidAt(certificates.Now))
        {
            return Invalid(
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"its certificate is valid from {certificate.NotBefore:u} to {certificate.NotAfter:u} only, "
                        + $"and now it is {certificates.Now:u} by the clock of the worker"));
        }

        if (!certificate.Verifies(message))
        {
            return Invalid("it was not made from this message");
        }

        switch (kind)
        {
            case SnsKind.Subscription:
                return await ConfirmAsync(message, cancellationToken);
            case SnsKind.Unsubscription:
                LogUnsubscribed(route, message.Topic);
                return default;
            default:
                return default;
        }
    }

    private static Settlement Invalid(string fault) =>
        Settlement.DeadLetter(SignatureReason, $"The signature does not show that SNS sent the message: {fault}.");

    private async ValueTask<Settlement> ConfirmAsync(SignedMessage message, CancellationToken cancellationToken)
    {
        (HttpStatusCode? status, _, string fault) = await client.GetAsync(message.SubscribeUrl!, cancellationToken);
        switch (status)
        {
            case HttpStatusCode.OK:
                LogConfirmed(route, message.Topic);
                return default;
            case { } refused when (int)refused is >= 300 and < 500 && refused is not (HttpStatusCode.RequestTimeout or HttpStatusCode.TooManyRequests):
                return Settlement.DeadLetter(
                    NotConfirmedReason,
                    $"SNS did not accept the confirmation of the subscription to {message.Topic}: {fault}. "
                        + "Its token is valid for two days: if it has expired, subscribe again.");
            default:
                return Settlement.Transient($"The subscription to {message.Topic} could not be confirmed: {fault}.");
        }
    }

    [LoggerMessage(5410, LogLevel.Information, "Route {Route}: confirmed to SNS that this endpoint subscribes to {Topic}, which Envelopes:Sns:Topics allows")]
    private partial void LogConfirmed(string route, string topic);

    [LoggerMessage(5411, LogLevel.Warning, "Route {Route}: this endpoint no longer subscribes to {Topic}, SNS says. If that is a mistake, subscribe it again")]
    private partial void LogUnsubscribed(string route, string topic);
}
