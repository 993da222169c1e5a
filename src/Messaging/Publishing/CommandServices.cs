namespace Messaging.Publishing;

/// <summary>What a part of a command may use.</summary>
/// <param name="Time">The clock; tests drive it.</param>
/// <param name="Output">The command's standard output, for its result. Any thread may write to it.</param>
/// <param name="Error">Its standard error, for status lines, such as that a sender waits. Any thread may write to it.</param>
public sealed record CommandServices(TimeProvider Time, TextWriter Output, TextWriter Error);
