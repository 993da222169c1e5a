namespace Pipeline.Building;

/// <summary>The parts do not form a chain. Carries every problem found, not only the first.</summary>
public sealed class PipelineDefinitionException(string pipeline, IReadOnlyList<string> problems)
    : Exception($"Pipeline '{pipeline}' cannot be composed:{Environment.NewLine}  - {string.Join($"{Environment.NewLine}  - ", problems)}")
{
    /// <summary>One sentence per problem: which part, what is wrong, what would be right.</summary>
    public IReadOnlyList<string> Problems { get; } = problems;
}
