namespace Lab.Techniques.Events;

/// <summary>The published improvement: two references, passed in registers or copied.</summary>
internal readonly struct StructEvent<TState>(object message, TState state)
{
    public object Message { get; } = message;

    public TState State { get; } = state;
}
