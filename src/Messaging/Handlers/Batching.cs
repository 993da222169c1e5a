using Messaging.Configuration;

namespace Messaging.Handlers;

/// <summary>Messages of a route that wait for each other, each in its slot, to form a bundle of the sink or a batch of the handler.</summary>
/// <param name="Unit">What they form, for error messages: <c>bundle</c>.</param>
/// <param name="Done">What happens to it, for error messages: <c>stored</c>.</param>
/// <param name="MaxMessages">The number of messages at which the waiting ends.</param>
/// <param name="MaxAge">The longest wait.</param>
public sealed record Batching(string Unit, string Done, SettingValue<int> MaxMessages, SettingValue<TimeSpan> MaxAge)
{
    /// <summary>The minimum number of slots of a source: while one unit fills, another of the same size is processed.</summary>
    public int MinSlots => 2 * MaxMessages.Value;
}
