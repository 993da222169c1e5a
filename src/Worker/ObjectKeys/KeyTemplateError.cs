namespace Worker.ObjectKeys;

/// <summary>One thing wrong with <see cref="KeyTemplateOptions"/>.</summary>
/// <param name="Setting">Name of the option.</param>
/// <param name="Position">Where in its text, counted in characters from 1.</param>
/// <param name="Problem">What is wrong; printable ASCII.</param>
/// <param name="Allowed">What would be right.</param>
internal sealed record KeyTemplateError(string Setting, int Position, string Problem, string Allowed)
{
    /// <summary>One line for a configuration report.</summary>
    public override string ToString() => $"{Setting}, character {Position}: {Problem}. Allowed: {Allowed}.";
}
