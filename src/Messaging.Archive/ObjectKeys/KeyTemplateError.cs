using System.Globalization;

namespace Quayside.Messaging.Archive.ObjectKeys;

/// <summary>One thing wrong with <see cref="ArchiveOptions"/>.</summary>
/// <param name="Setting">Name of the option.</param>
/// <param name="Position">Position in its text, counted in characters from 1.</param>
/// <param name="Problem">What is wrong; safe to print.</param>
/// <param name="Allowed">What is allowed.</param>
internal sealed record KeyTemplateError(string Setting, int Position, string Problem, string Allowed)
{
    /// <summary>One line for a configuration report.</summary>
    public override string ToString() => $"{Setting}, character {Position}: {Problem}. Allowed: {Allowed}.";
}

/// <summary>Collects the errors in the text of one setting.</summary>
internal sealed class KeyTextErrors(string setting, List<KeyTemplateError> errors)
{
    /// <summary>Adds an error.</summary>
    /// <param name="index">Index in the text, counted in characters from 0.</param>
    /// <param name="problem">What is wrong; safe to print.</param>
    /// <param name="allowed">What is allowed.</param>
    public void Add(int index, string problem, string allowed) => errors.Add(new KeyTemplateError(setting, index + 1, problem, allowed));

    /// <summary>A character in quotes, or its number when it is not printable ASCII.</summary>
    public static string Show(char c) => c is >= ' ' and <= '~' ? $"'{c}'" : string.Create(CultureInfo.InvariantCulture, $"U+{(int)c:X4}");
}
