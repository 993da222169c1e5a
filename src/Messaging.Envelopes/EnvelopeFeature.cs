using Messaging.Configuration;
using Messaging.Unwrapping;

namespace Messaging.Envelopes;

/// <summary>An envelope without settings.</summary>
/// <param name="name">Its name in routes.</param>
/// <param name="envelope">Serves all routes.</param>
/// <param name="splits">See <see cref="EnvelopePlan.Splits"/>.</param>
internal sealed class EnvelopeFeature(string name, IEnvelope envelope, bool splits = false) : IEnvelopeFeature
{
    public string Name => name;

    public EnvelopePlan Configure(SettingsReader settings, string route) => new() { Create = _ => envelope, Splits = splits };
}
