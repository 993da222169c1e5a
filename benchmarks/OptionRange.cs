using System.CommandLine;
using System.Globalization;

namespace Benchmarks;

/// <summary>Ranges of numeric options. One error message covers every wrong value.</summary>
internal static class OptionRange
{
    public static void InRange<T>(this Option<T> option, double least, double most) => option.Validators.Add(result =>
    {
        // Checks the tokens, because reading the value of one that is not a number would throw.
        foreach (string word in result.Tokens.Select(token => token.Value))
        {
            if (!double.TryParse(word, NumberStyles.Float, CultureInfo.InvariantCulture, out double value) || !(value >= least && value <= most))
            {
                string several = typeof(T).IsArray ? "; separate several by spaces" : string.Empty;
                result.AddError(
                    string.Create(CultureInfo.InvariantCulture, $"{option.Name} {word}: must be a number from {least:#,0.##} to {most:#,0.##}{several}."));
            }
        }
    });
}
