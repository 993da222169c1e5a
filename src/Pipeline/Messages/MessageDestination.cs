namespace Pipeline.Messages;

/// <summary>Where messages are sent to and received from, as spans name it.</summary>
/// <param name="System">The messaging system by OpenTelemetry's conventions: <c>aws_sqs</c>, <c>servicebus</c>; else the source's lower-case name.</param>
/// <param name="Name">The queue or topic; the route where there is none.</param>
public sealed record MessageDestination(string System, string Name);
