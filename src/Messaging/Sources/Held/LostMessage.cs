using Messaging.Telemetry;

namespace Messaging.Sources.Held;

/// <summary>A message that a stop could keep nowhere.</summary>
/// <param name="Id">Its source's id, fit for a log line.</param>
/// <param name="Error">Why the dead letters did not take it.</param>
internal sealed record LostMessage(string Id, string Error)
{
    public static LostMessage Of(HeldMessage message, string error) => new(UntrustedText.Shorten(message.SourceId.Span), error);
}
