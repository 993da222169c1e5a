namespace Quayside.Messaging.Configuration;

/// <summary>Collects the broken rules of one settings object.</summary>
/// <param name="section">The section of its keys.</param>
/// <param name="configured">Finds the configured key and value of a property; null when it is not configured.</param>
/// <param name="unread">Properties whose values could not be read; already reported.</param>
/// <param name="errors">Receives the problems.</param>
/// <param name="warnings">Receives warnings about values that are allowed but can lose or expose data.</param>
/// <param name="onlyConfigured">True to apply only rules about a property that is configured.</param>
public sealed class SettingsCheck(
    string section,
    Func<string, (string Key, string Value)?> configured,
    IReadOnlyCollection<string> unread,
    List<ConfigurationError> errors,
    List<ConfigurationError> warnings,
    bool onlyConfigured = false)
{
    /// <summary>Reports a broken rule. A rule about a value that could not be read is skipped: the property holds its default.</summary>
    /// <param name="property">The property that is wrong; use <c>nameof</c>.</param>
    /// <param name="problem">What is wrong and what is allowed.</param>
    /// <param name="consequence">What would go wrong if the worker started like this; may be null.</param>
    /// <param name="alsoLooksAt">Every other property that the rule looks at; use <c>nameof</c>.</param>
    public void Fail(string property, string problem, string? consequence = null, params ReadOnlySpan<string> alsoLooksAt) =>
        Add(errors, property, problem, consequence, alsoLooksAt);

    /// <summary>Warns of a value that is allowed but can lose or expose data; otherwise like <see cref="Fail"/>.</summary>
    public void Warn(string property, string problem, string? consequence = null, params ReadOnlySpan<string> alsoLooksAt) =>
        Add(warnings, property, problem, consequence, alsoLooksAt);

    private void Add(List<ConfigurationError> found, string property, string problem, string? consequence, ReadOnlySpan<string> alsoLooksAt)
    {
        (string Key, string Value)? known = configured(property);
        bool canTell = !unread.Contains(property);
        bool isConfigured = known is not null;
        foreach (string other in alsoLooksAt)
        {
            canTell &= !unread.Contains(other);
            isConfigured |= configured(other) is not null;
        }

        if (canTell && (isConfigured || !onlyConfigured))
        {
            found.Add(new ConfigurationError(known?.Key ?? $"{section}:{property}", known?.Value, problem, consequence));
        }
    }
}

/// <summary>Settings with rules across several keys.</summary>
public interface ISelfValidating
{
    /// <summary>Reports each broken rule through <paramref name="check"/>, with the property it is about.</summary>
    void Validate(SettingsCheck check);
}
