using Quayside.Messaging.Configuration;
using Quayside.Messaging.Unwrapping;

namespace Quayside.Messaging.Envelopes;

/// <summary>An envelope without settings.</summary>
/// <param name="name">Its name in routes.</param>
/// <param name="envelope">Serves all routes.</param>
/// <param name="isRecognized">See <see cref="IEnvelopeFeature.IsRecognized"/>.</param>
/// <param name="splits">See <see cref="EnvelopePlan.Splits"/>.</param>
internal sealed class EnvelopeFeature(string name, IEnvelope envelope, Func<ReadOnlyMemory<byte>, bool> isRecognized, bool splits = false) : IEnvelopeFeature
{
    public string Name => name;

    public bool IsRecognized(ReadOnlyMemory<byte> body) => isRecognized(body);

    public EnvelopePlan Configure(SettingsReader settings, string route) => new() { Create = _ => envelope, Splits = splits };
}
