namespace Messaging.Publishing;

/// <summary>What a sender may use of its surroundings.</summary>
/// <param name="Time">The clock; tests drive it.</param>
/// <param name="Notice">Takes a line for the person at the terminal, such as that the sender waits. Any thread may call it.</param>
public sealed record SenderServices(TimeProvider Time, Action<string> Notice);
