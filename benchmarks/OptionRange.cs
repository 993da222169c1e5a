using System.CommandLine;
using System.Globalization;

namespace Benchmarks;

/// <summary>Ranges of numeric options, said in one sentence whatever was given.</summary>
internal static class OptionRange
{
    public static void InRange<T>(this Option<T> option, double least, double most) => option.Validators.Add(result =>
    {
        // The words themselves: asking for the value would throw where it is no number.
        foreach (string word in result.Tokens.Select(token => token.Value))
        {
            if (!double.TryParse(word, NumberStyles.Float, CultureInfo.InvariantCulture, out double value) || !(value >= least && value <= most))
            {
                string several = typeof(T).IsArray ? "; several are separated by blanks" : string.Empty;
                result.AddError(string.Create(CultureInfo.InvariantCulture, $"{option.Name} {word}: must be a number from {least:#,0.##} to {most:#,0.##}{several}."));
            }
        }
    });
}
