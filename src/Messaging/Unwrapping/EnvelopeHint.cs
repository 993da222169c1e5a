using Microsoft.Extensions.Logging;

namespace Quayside.Messaging.Unwrapping;

/// <summary>
/// Tells once that the messages of a route without envelopes are in one. It is shown messages that miss what the route needs of them, and looks at the first
/// of these only. Threads: any.
/// </summary>
internal sealed partial class EnvelopeHint(string route, IReadOnlyList<IEnvelopeFeature> envelopes, ILogger logger)
{
    private const int MaxLooks = 100;

    private readonly ILogger _logger = logger;
    private int _looks;
    private int _found;

    public void Look(ReadOnlyMemory<byte> body)
    {
        if (Volatile.Read(ref _looks) >= MaxLooks || Interlocked.Increment(ref _looks) > MaxLooks)
        {
            return;
        }

        foreach (IEnvelopeFeature envelope in envelopes)
        {
            if (envelope.IsRecognized(body))
            {
                Volatile.Write(ref _looks, MaxLooks);
                if (Interlocked.Exchange(ref _found, 1) == 0)
                {
                    LogFound(route, envelope.Name, route, envelope.Name);
                }

                return;
            }
        }
    }

    [LoggerMessage(
        5401, LogLevel.Warning,
        "Route {Route}: a message that lacks what the route needs of it is in the envelope {Envelope}, which the route does not open. If its messages are, set "
            + "Routes:{Name}:Envelope={Setting} (docs/guides/envelopes.md)")]
    private partial void LogFound(string route, string envelope, string name, string setting);
}
