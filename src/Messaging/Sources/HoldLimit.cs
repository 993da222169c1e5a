using Messaging.Configuration;

namespace Messaging.Sources;

/// <summary>How long a source can hold a message while it is processed, before it is delivered again.</summary>
/// <param name="Longest">The time from the receive on.</param>
/// <param name="InTurn">Messages of one receive that are processed one after another, all within that time; 1 without order.</param>
public sealed record HoldLimit(SettingValue<TimeSpan> Longest, int InTurn = 1);
