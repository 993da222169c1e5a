namespace Messaging.Aws.Sqs.Wire;

/// <summary>One entry of a visibility change.</summary>
/// <param name="ReceiptHandle">The newest handle of the message; a borrow until the call ends.</param>
/// <param name="VisibilitySeconds">0 to 43,200 from now; 0 hands the message back at once.</param>
internal readonly record struct VisibilityChange(ReadOnlyMemory<byte> ReceiptHandle, int VisibilitySeconds);
