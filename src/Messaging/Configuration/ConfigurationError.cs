using Messaging.Telemetry;

namespace Messaging.Configuration;

/// <summary>One problem of the configuration.</summary>
/// <param name="Key">The full key, such as <c>Sources:Sqs:VisibilityTimeout</c>.</param>
/// <param name="Value">The value found; null when there is none, or when it is unknown whether it may be shown; <c>***</c> for a secret.</param>
/// <param name="Problem">What is wrong and what is allowed.</param>
/// <param name="Consequence">What would go wrong if the worker started like this; may be null.</param>
public sealed record ConfigurationError(string Key, string? Value, string Problem, string? Consequence = null)
{
    /// <summary>One line, with control characters escaped and at most 256 bytes of key and value.</summary>
    public override string ToString()
    {
        string key = UntrustedText.Shorten(Key);
        string text = Value is null ? $"{key}: {Problem}" : $"{key} = \"{UntrustedText.Shorten(Value)}\": {Problem}";
        return Consequence is null ? text : $"{text} {Consequence}";
    }
}
