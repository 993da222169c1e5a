using System.Globalization;
using System.Text.RegularExpressions;
using Benchmarks.Compare;

namespace Lab.Pages;

/// <summary>
/// A text with places for figures: <c>{put Direct BytesAPut:N0}</c> is a figure of the row of put.json that has the name Direct; names with
/// spaces are quoted. <c>{a / b + c:F2}</c> divides by another figure, by a sum or by a number. After the .NET format, <c>~2</c> rounds to so many
/// digits first; <c>range</c> before it shows the least and the most of arrays, divided pass by pass, or - where the results are older than the figure,
/// and <c>list</c> all of them.
/// </summary>
internal sealed partial class MeasuredText(string name, string template)
{
    private const string Folder = "folder";

    public string Name { get; } = name;

    /// <summary>The files that it takes figures from.</summary>
    public IEnumerable<string> Files =>
        Places()
            .Matches(template)
            .SelectMany(Sides)
            .SelectMany(side => side)
            .Where(term => term.Length > 1)
            .Select(term => term[0])
            .Distinct(StringComparer.Ordinal);

    /// <param name="rows">The results.</param>
    /// <param name="folder">Where the results are, as the page links to them: <c>{folder}</c>.</param>
    /// <exception cref="ResultsException">A place is wrong, or the results lack its figure.</exception>
    public string Write(ResultRows rows, string folder) => Places().Replace(template, place =>
    {
        try
        {
            return place.Groups["terms"].Value == Folder ? folder : Show(rows, [.. Sides(place)], place.Groups["format"].Value);
        }
        catch (Exception exception) when (exception is ResultsException or FormatException)
        {
            throw new ResultsException($"{Name}, {place.Value}: {exception.Message}");
        }
    });

    private static string Show(ResultRows rows, string[][][] sides, string format)
    {
        string[] words = format.Split(' ');
        if (words[0] == "range" && !sides.SelectMany(side => side).All(term => rows.HasFigure(term[0], term[1..^1], term[^1])))
        {
            // The results are of a day when the command did not keep the figure.
            return "-";
        }

        double[][] values = [.. sides.Select(side => Sum(rows, side))];
        double[] ratios = values switch
        {
            [var only] => only,
            [var above, [var below]] => [.. above.Select(one => one / below)],
            [var above, var below] when above.Length == below.Length => [.. above.Zip(below, static (one, other) => one / other)],
            _ => throw new FormatException("a figure or a quotient of two is needed"),
        };
        return words switch
        {
            ["range", var of] => Range(Number(ratios.Min(), of), Number(ratios.Max(), of)),
            ["list", var of] => string.Join(' ', ratios.Select(one => Number(one, of))),
            [var of] when ratios.Length == 1 => Number(ratios[0], of),
            _ => throw new FormatException("the format is wrong, or the figure is an array: range F2, list F2 or F2"),
        };
    }

    private static string Range(string least, string most) => least == most ? most : $"{least}-{most}";

    private static double[] Sum(ResultRows rows, string[][] terms) =>
        terms.Length == 1 ? Value(rows, terms[0]) : [terms.Sum(term => Value(rows, term).Single())];

    private static double[] Value(ResultRows rows, string[] term) => term switch
    {
        [var number] => [double.Parse(number, CultureInfo.InvariantCulture)],
        _ => rows.Get(term[0], term[1..^1], term[^1]),
    };

    private static string Number(double value, string format)
    {
        string[] parts = format.Split('~');
        if (parts.Length > 1 && value != 0)
        {
            double unit = Math.Pow(10, Math.Floor(Math.Log10(Math.Abs(value))) - int.Parse(parts[1], CultureInfo.InvariantCulture) + 1);
            value = Math.Round(value / unit, MidpointRounding.AwayFromZero) * unit;
        }

        return value.ToString(parts[0], CultureInfo.InvariantCulture);
    }

    /// <summary>What is above and below the division, each a sum of terms, each of words.</summary>
    private static IEnumerable<string[][]> Sides(Match place) =>
        place.Groups["terms"].Value
            .Split(" / ")
            .Select(side => side.Split(" + ").Select(term => Words().Matches(term).Select(word => word.Value.Trim('\'')).ToArray()).ToArray());

    [GeneratedRegex(@"\{(?<terms>[^{}:]+)(:(?<format>[^{}]+))?\}", RegexOptions.ExplicitCapture)]
    private static partial Regex Places();

    [GeneratedRegex(@"'[^']+'|[^ ]+")]
    private static partial Regex Words();
}
