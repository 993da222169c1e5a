namespace Messaging.Configuration;

/// <summary>The configuration is wrong; carries every problem found.</summary>
public sealed class ConfigurationException(IReadOnlyList<ConfigurationError> errors)
    : Exception($"The configuration has {errors.Count} problem(s):{Environment.NewLine}  - {string.Join($"{Environment.NewLine}  - ", errors)}")
{
    /// <summary>Every problem found.</summary>
    public IReadOnlyList<ConfigurationError> Errors { get; } = errors;
}
