namespace Worker.Configuration;

/// <summary>Collects the broken rules of one settings object.</summary>
internal sealed class SettingsCheck(string section, Func<string, string?> valueOf, List<ConfigurationError> errors)
{
    /// <summary>Reports a problem of one property; use <c>nameof</c>.</summary>
    public void Fail(string property, string problem, string? consequence = null) =>
        errors.Add(new ConfigurationError($"{section}:{property}", valueOf(property), problem, consequence));
}
