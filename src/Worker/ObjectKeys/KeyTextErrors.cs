using System.Globalization;

namespace Worker.ObjectKeys;

/// <summary>Collects what is wrong with the text of one setting.</summary>
internal sealed class KeyTextErrors(string setting, List<KeyTemplateError> errors)
{
    /// <summary>Adds a fault.</summary>
    /// <param name="index">Where, counted in characters from 0.</param>
    /// <param name="problem">What is wrong; printable ASCII.</param>
    /// <param name="allowed">What would be right.</param>
    public void Add(int index, string problem, string allowed) => errors.Add(new KeyTemplateError(setting, index + 1, problem, allowed));

    /// <summary>A character in quotes, or its number when it is not printable ASCII.</summary>
    public static string Show(char c) => c is >= ' ' and <= '~' ? $"'{c}'" : string.Create(CultureInfo.InvariantCulture, $"U+{(int)c:X4}");
}
