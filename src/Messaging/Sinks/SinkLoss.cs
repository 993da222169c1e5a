using Messaging.Configuration;

namespace Messaging.Sinks;

/// <summary>Marks a sink that keeps objects only as long as the process runs.</summary>
/// <param name="Allowed">The setting with which an operator accepts the loss of messages that exist nowhere else.</param>
public sealed record SinkLoss(SettingValue<bool> Allowed);
