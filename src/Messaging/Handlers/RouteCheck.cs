namespace Messaging.Handlers;

/// <summary>A check at start that a handler needs beside those of sink and sources.</summary>
/// <param name="Name">What is checked, as the log names it.</param>
/// <param name="CheckAsync">Throws <see cref="Hosting.StartupException"/> where the handler can never work as configured.</param>
public sealed record RouteCheck(string Name, Func<CancellationToken, Task> CheckAsync)
{
    /// <summary>True when the check stays within this process, so that <c>validate</c> runs it too.</summary>
    public bool IsLocal { get; init; }
}
