namespace Lab.Techniques.Events;

/// <summary>The original: an object of 32 bytes per event.</summary>
internal sealed class ClassEvent<TState>(object message, TState state)
{
    public object Message { get; } = message;

    public TState State { get; } = state;
}
