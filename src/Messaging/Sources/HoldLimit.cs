using Messaging.Configuration;

namespace Messaging.Sources;

/// <summary>How long a source can hold a message in flight before it is redelivered.</summary>
/// <param name="Longest">The time since the receive.</param>
/// <param name="InSequence">Messages of one receive that are processed one after another within that time; 1 for unordered sources.</param>
public sealed record HoldLimit(SettingValue<TimeSpan> Longest, int InSequence = 1);
