using System.Globalization;
using Quayside.Messaging.CloudFront.Rows;

namespace Quayside.Messaging.CloudFront.Documents;

/// <summary>A row that becomes a dead letter instead of a document.</summary>
/// <param name="Number">Its number, as in <see cref="LogRow.Number"/>.</param>
/// <param name="Fault">Why.</param>
/// <param name="Text">Its bytes, or the first of them. A borrow of the call.</param>
/// <param name="Columns">Columns that the log's fields directive names.</param>
/// <param name="Missing">The first required column that a row in JSON lacks; null when it has all.</param>
internal readonly record struct BadRow(long Number, string Fault, ReadOnlyMemory<byte> Text, int Columns, string? Missing = null)
{
    // What files of other formats have between columns.
    private static readonly (byte Separator, string Name)[] OtherSeparators =
        [((byte)',', "comma"), ((byte)';', "semicolon"), ((byte)'|', "vertical bar"), ((byte)' ', "blank")];

    /// <summary>For people: the row's number and its fault, without any of its text.</summary>
    public string Describe() => string.Create(CultureInfo.InvariantCulture, $"Row {Number} {DescribeFault()}");

    private string DescribeFault() => Fault switch
    {
        RowFault.TooLong => $"is longer than {CloudFrontOptions.Section}:{nameof(CloudFrontOptions.MaxRowBytes)} allows.",
        RowFault.Nul => "has a zero byte in it.",
        RowFault.InvalidUtf8 => "has a chosen column that is not UTF-8.",
        RowFault.NotJson => "is not a JSON object, or has a chosen column twice.",
        RowFault.MissingColumn =>
            $"has no column {Missing}. If not every row has it, name it in {CloudFrontOptions.Section}:{nameof(CloudFrontOptions.OptionalColumns)} instead of "
                + $"{nameof(CloudFrontOptions.Columns)}.",
        _ => DescribeColumns(),
    };

    private string DescribeColumns()
    {
        ReadOnlySpan<byte> text = Text.Span;
        int tabs = text.Count((byte)'\t');
        (int count, string name) = (0, string.Empty);
        foreach ((byte separator, string other) in OtherSeparators)
        {
            int found = text.Count(separator);
            (count, name) = found > count ? (found, other) : (count, name);
        }

        string hint = tabs == 0 && count > 0
            ? string.Create(CultureInfo.InvariantCulture, $" Tabs separate columns; this row has none, but {count} {name}{Plural(count)}.")
            : string.Empty;
        return string.Create(CultureInfo.InvariantCulture, $"has {tabs + 1} column{Plural(tabs + 1)}, and the #Fields line names {Columns}.{hint}");
    }

    private static string Plural(int count) => count == 1 ? string.Empty : "s";
}
