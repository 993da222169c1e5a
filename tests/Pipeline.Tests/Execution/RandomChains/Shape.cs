namespace Pipeline.Tests.Execution.RandomChains;

/// <summary>The kind of a part in a random chain.</summary>
internal enum Shape
{
    Step,

    /// <summary>A step that ends the chain in Before.</summary>
    StoppingStep,

    /// <summary>A step whose OnError handles every second exception.</summary>
    HandlingStep,

    /// <summary>A behaviour that calls next once.</summary>
    Behavior,

    /// <summary>A behaviour that never calls next.</summary>
    SkippingBehavior,

    /// <summary>A behaviour that calls next twice.</summary>
    TwiceBehavior,

    /// <summary>A behaviour that calls next again when it threw.</summary>
    RetryingBehavior,

    /// <summary>A behaviour that swallows what next threw.</summary>
    CatchingBehavior,

    /// <summary>A behaviour that returns next's own task.</summary>
    PassingBehavior,
}
