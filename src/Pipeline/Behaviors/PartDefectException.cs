namespace Pipeline.Behaviors;

/// <summary>A part broke its contract, such as a step that returned <c>default(StepOutcome)</c>. The message fails as if the part had thrown.</summary>
/// <param name="part">The part, as logs name it, such as <c>the step Validate</c>.</param>
/// <param name="problem">What it did and what it must do instead; the end of a sentence that begins with the part.</param>
public sealed class PartDefectException(string part, string problem) : InvalidOperationException($"{char.ToUpperInvariant(part[0])}{part[1..]} {problem}")
{
    /// <summary>The part, as logs name it.</summary>
    public string Part { get; } = part;

    internal static PartDefectException Undecided(string step, StepOutcome outcome) =>
        new($"the step {step}", $"returned StepOutcome.{outcome} from BeforeAsync, which decides nothing: return StepOutcome.Continue or StepOutcome.Stop.");
}
