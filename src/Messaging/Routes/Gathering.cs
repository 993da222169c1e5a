using Messaging.Configuration;

namespace Messaging.Routes;

/// <summary>Messages of a route that wait for each other, each in its slot: for a bundle of the sink or a batch of the handler.</summary>
/// <param name="Unit">What they wait for, in words: <c>bundle</c>.</param>
/// <param name="Done">What then becomes of it, in words: <c>stored</c>.</param>
/// <param name="MaxMessages">Messages at which nothing more is waited for.</param>
/// <param name="MaxAge">The longest wait.</param>
public sealed record Gathering(string Unit, string Done, SettingValue<int> MaxMessages, SettingValue<TimeSpan> MaxAge)
{
    /// <summary>The least slots of a source: while one unit fills, another of the same size is processed.</summary>
    public int LeastSlots => 2 * MaxMessages.Value;
}
