namespace Quayside.Messaging.Configuration;

/// <summary>One problem of the configuration. What may be a secret is masked in each of its texts.</summary>
/// <param name="Key">The full key, such as <c>Sources:Sqs:VisibilityTimeout</c>.</param>
/// <param name="Value">The value found; null when there is none, or when it is unknown whether it may be shown; <c>***</c> for a secret.</param>
/// <param name="Problem">What is wrong and what is allowed.</param>
/// <param name="Consequence">What would go wrong if the worker started like this; may be null.</param>
public sealed record ConfigurationError(string Key, string? Value, string Problem, string? Consequence = null)
{
    /// <summary>The full key.</summary>
    public string Key { get; init; } = Key.AsSpan().ContainsAny('=', '/') ? SettingText.Mask(Key) : Key;

    /// <summary>The value found; null when there is none, or when it is unknown whether it may be shown.</summary>
    public string? Value { get; init; } = Value is null ? null : SettingText.Mask(Value);

    /// <summary>What is wrong and what is allowed. It may quote a value, such as one item of a list.</summary>
    public string Problem { get; init; } = SettingText.MaskWords(Problem);

    /// <summary>What would go wrong if the worker started like this; may be null.</summary>
    public string? Consequence { get; init; } = Consequence is null ? null : SettingText.MaskWords(Consequence);

    /// <summary>One line; control characters of the configuration are escaped.</summary>
    public override string ToString()
    {
        string problem = Value is null ? $"{Key}: {Problem}" : $"{Key} = \"{Value}\": {Problem}";
        string text = Consequence is null ? problem : $"{problem} {Consequence}";
        return text.Any(char.IsControl) ? string.Concat(text.Select(c => char.IsControl(c) ? $"\\u{(int)c:x4}" : c.ToString())) : text;
    }
}

/// <summary>The configuration is wrong; carries every problem found.</summary>
public sealed class ConfigurationException(IReadOnlyList<ConfigurationError> errors)
    : Exception($"The configuration has {errors.Count} problem(s):{Environment.NewLine}  - {string.Join($"{Environment.NewLine}  - ", errors)}")
{
    /// <summary>Every problem found.</summary>
    public IReadOnlyList<ConfigurationError> Errors { get; } = errors;
}
