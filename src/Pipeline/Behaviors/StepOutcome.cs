namespace Pipeline.Behaviors;

/// <summary>Whether the chain goes on after a step's <see cref="IStep{TContext}.BeforeAsync"/>.</summary>
public enum StepOutcome
{
    /// <summary>The next part runs.</summary>
    Continue = 0,

    /// <summary>Nothing further runs, this step's After neither; the Afters of the steps before it do.</summary>
    Stop,
}
