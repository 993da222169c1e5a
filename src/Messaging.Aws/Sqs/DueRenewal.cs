namespace Messaging.Aws.Sqs;

/// <summary>A message whose visibility is to be renewed.</summary>
/// <param name="Key">The message.</param>
/// <param name="HandleStart">Where its handle begins in the collected bytes.</param>
/// <param name="HandleLength">The handle's length in bytes.</param>
internal readonly record struct DueRenewal(Guid Key, int HandleStart, int HandleLength);
