using Quayside.Messaging.Configuration;
using Quayside.Messaging.Unwrapping;

namespace Quayside.Messaging.Envelopes.Sns;

/// <summary>The envelope <c>Sns</c> of routes.</summary>
/// <param name="connect">Makes the connections to SNS; null for those of the network.</param>
internal sealed class SnsFeature(Func<HttpMessageHandler>? connect = null) : IEnvelopeFeature
{
    public string Name => "Sns";

    public IReadOnlyList<SettingsSection> Settings { get; } = [SettingsSection.Of<SnsOptions>(SnsOptions.Section)];

    public bool IsRecognized(ReadOnlyMemory<byte> body) => SnsEnvelope.IsMarked(body);

    public EnvelopePlan Configure(SettingsReader settings, string route)
    {
        SnsOptions options = settings.Read<SnsOptions>(SnsOptions.Section, route);
        return options.Topics.Length == 0
            ? new EnvelopePlan { Create = static _ => new SnsEnvelope() }
            : new EnvelopePlan
            {
                CallsService = true,
                Create = services =>
                {
                    SnsClient client = new(connect?.Invoke() ?? SnsClient.CreateHandler(), services.Time);
                    services.Owned.Add(client);
                    return new SnsEnvelope(
                        new SnsSender(
                            options.Topics, new SnsCertificates(client, services.Time), client, route,
                            services.Loggers.CreateLogger($"Quayside.Messaging.Routes.{route}")));
                },
            };
    }
}

/// <summary>Section <c>Envelopes:Sns</c>: whose notifications are accepted.</summary>
internal sealed class SnsOptions : ISelfValidating
{
    public const string Section = "Envelopes:Sns";

    [Setting(
        "ARNs of SNS topics, separated by commas. With any, a notification is accepted only from one of them and with a valid signature, and subscriptions to "
            + "them are confirmed; set it for routes from Http. Empty: senders are not checked, as for a queue, whose policy says who may send")]
    public string[] Topics { get; init; } = [];

    /// <inheritdoc/>
    public void Validate(SettingsCheck check)
    {
        if (Topics.FirstOrDefault(topic => !IsTopic(topic)) is { } wrong)
        {
            check.Fail(
                nameof(Topics), $"must be ARNs of topics, such as arn:aws:sns:eu-west-1:123456789012:orders; \"{wrong}\" is not one.",
                "No notification would be accepted.");
        }
    }

    private static bool IsTopic(string text) =>
        text.Split(':') is ["arn", [_, ..], "sns", [_, ..], [_, ..], [_, ..]] && !text.Contains('*', StringComparison.Ordinal);
}
