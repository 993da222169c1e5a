using Messaging.Configuration;

namespace Messaging.Sinks;

/// <summary>A sink keeps objects only as long as the process runs.</summary>
/// <param name="Allowed">The setting by which an operator accepts that for messages which nothing else holds.</param>
public sealed record SinkLoss(SettingValue<bool> Allowed);
