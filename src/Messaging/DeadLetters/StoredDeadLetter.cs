namespace Messaging.DeadLetters;

/// <summary>A dead letter as the folder holds it.</summary>
/// <param name="Name">Its path below the store's folder, without extension: reason, day, id.</param>
/// <param name="Letter">The record.</param>
internal sealed record StoredDeadLetter(string Name, DeadLetter Letter);
