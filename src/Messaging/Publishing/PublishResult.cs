namespace Messaging.Publishing;

/// <summary>What became of a publish.</summary>
/// <param name="Sent">Messages taken.</param>
/// <param name="FirstError">Why the first that was not taken was not; null when all were.</param>
public readonly record struct PublishResult(int Sent, string? FirstError);
