namespace Pipeline.Building;

/// <summary>One registered part: its name, its place in the stages, and the part itself.</summary>
/// <param name="Name">What the printed chain calls it.</param>
/// <param name="Kind">Its role.</param>
/// <param name="In">The context type it works on.</param>
/// <param name="Out">The context type of what follows; null behind a terminator.</param>
internal abstract record PipelinePart(string Name, PartKind Kind, Type In, Type? Out)
{
    /// <summary>Whether a node class was made for this part's type; otherwise it runs in a shared one.</summary>
    public abstract bool HasOwnNode { get; }

    public abstract TResult Accept<TState, TResult>(IPartVisitor<TState, TResult> visitor, TState state);
}
