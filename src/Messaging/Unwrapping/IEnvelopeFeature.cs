using Quayside.Messaging.Configuration;
using Quayside.Messaging.Handlers;

namespace Quayside.Messaging.Unwrapping;

/// <summary>
/// A kind of envelope that routes can name in <c>Routes:{route}:Envelope</c>; added by <see cref="Hosting.IMessageWorkerBuilder.AddEnvelope"/>.
/// </summary>
public interface IEnvelopeFeature
{
    /// <summary>The name, such as <c>Sns</c>.</summary>
    string Name { get; }

    /// <summary>The section <c>Envelopes:{Name}</c> and the class that reads it; empty for an envelope without settings.</summary>
    IReadOnlyList<SettingsSection> Settings => [];

    /// <summary>
    /// True for a body with marks of this envelope that no other message has. A route without envelopes whose message misses something names the envelope in
    /// its log. May cost as much as reading the body.
    /// </summary>
    bool IsRecognized(ReadOnlyMemory<byte> body) => false;

    /// <summary>Reads and checks the settings for one route; problems go into the reader. Touches nothing outside the configuration.</summary>
    EnvelopePlan Configure(SettingsReader settings, string route);
}

/// <summary>An envelope of a route as configured and checked. Immutable; nothing is opened yet.</summary>
public sealed record EnvelopePlan
{
    /// <summary>The name of its feature; the planner sets it.</summary>
    public string Name { get; init; } = string.Empty;

    /// <summary>Makes the route's instance; called only when the whole configuration is valid.</summary>
    public required Func<HandlerServices, IEnvelope> Create { get; init; }

    /// <summary>True when one message may hold several.</summary>
    public bool Splits { get; init; }

    /// <summary>True when unwrapping calls a service: commands that explain a message then do not unwrap it.</summary>
    public bool CallsService { get; init; }
}
