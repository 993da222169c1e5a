using System.Text.RegularExpressions;

namespace Messaging.Configuration;

/// <summary>Collects the broken rules of one settings object.</summary>
/// <param name="section">Where its keys stand.</param>
/// <param name="given">The key and value that a property was given by; null when it was not given.</param>
/// <param name="unread">Properties whose values could not be read, and were reported.</param>
/// <param name="errors">Receives the problems.</param>
/// <param name="warnings">Receives what is allowed and can still lose or expose something.</param>
internal sealed class SettingsCheck(
    string section, Func<string, (string Key, string Value)?> given, IReadOnlyCollection<string> unread, List<ConfigurationError> errors, List<ConfigurationError> warnings)
{
    /// <summary>Reports a problem of one property; use <c>nameof</c>. A rule that looks at other properties too names them in its text.</summary>
    public void Fail(string property, string problem, string? consequence = null) => Add(errors, property, problem, consequence);

    /// <summary>Warns of a value that is allowed and can still lose or expose something; use <c>nameof</c>.</summary>
    public void Warn(string property, string problem, string? consequence = null) => Add(warnings, property, problem, consequence);

    private void Add(List<ConfigurationError> found, string property, string problem, string? consequence)
    {
        // A value that could not be read is its default here, and what a rule says of that would mislead.
        if (!unread.Any(name => IsAbout(name, property, problem)))
        {
            (string Key, string Value)? known = given(property);
            found.Add(new ConfigurationError(known?.Key ?? $"{section}:{property}", known?.Value, problem, consequence));
        }
    }

    /// <summary>True when a rule's problem is that of a property, or names it.</summary>
    internal static bool IsAbout(string name, string property, string problem) => name == property || Regex.IsMatch(problem, $@"\b{Regex.Escape(name)}\b");
}
