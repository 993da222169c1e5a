namespace Messaging.Aws.Sqs.Wire;

/// <summary>What one receive call asks for.</summary>
/// <param name="QueueUrl">The queue's URL, as the service gave it.</param>
/// <param name="MaxMessages">1 to 10.</param>
/// <param name="WaitSeconds">0 to 20; how long the service waits for a first message.</param>
/// <param name="VisibilitySeconds">0 to 43,200; how long the messages are hidden from others.</param>
internal readonly record struct ReceiveRequest(string QueueUrl, int MaxMessages, int WaitSeconds, int VisibilitySeconds);
