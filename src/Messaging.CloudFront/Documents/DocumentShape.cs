using System.Collections.Immutable;
using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace Quayside.Messaging.CloudFront.Documents;

/// <summary>Which columns become which fields of a document. Immutable: one instance serves all threads.</summary>
internal sealed class DocumentShape
{
    // CloudFront writes at most 33 columns today; 64 is the limit because a bit per column must fit a long.
    private const int MaxColumns = 64;

    private const string DateColumn = "date";
    private const string TimeColumn = "time";

    private readonly byte[][] _openers;

    private DocumentShape(byte[][] columns, int required, byte[][] openers, byte[]? timestampOpener)
    {
        Required = required;
        Columns = columns;
        _openers = openers;
        TimestampOpener = timestampOpener;
        Date = Array.FindIndex(columns, column => column.AsSpan().SequenceEqual("date"u8));
        Time = Array.FindIndex(columns, column => column.AsSpan().SequenceEqual("time"u8));
        FixedBytes = 2 + openers.Sum(opener => opener.Length + 2) + (timestampOpener is null ? 0 : timestampOpener.Length + RowTimestamp.Length + 2);
    }

    /// <summary>
    /// The columns to read, UTF-8, spelled as in the fields directive: the required ones first, then the optional ones, then those that only the timestamp
    /// needs.
    /// </summary>
    public byte[][] Columns { get; }

    /// <summary>How many of <see cref="Columns"/>, counted from the first, a log must have.</summary>
    public int Required { get; }

    /// <summary>How many of <see cref="Columns"/> become fields, counted from the first.</summary>
    public int Fields => _openers.Length;

    /// <summary>The timestamp's quoted field name, a colon and a quotation mark; null for documents without a timestamp.</summary>
    public byte[]? TimestampOpener { get; }

    /// <summary>Index of the column <c>date</c>; -1 when it is not read.</summary>
    public int Date { get; }

    /// <summary>Index of the column <c>time</c>; -1 when it is not read.</summary>
    public int Time { get; }

    /// <summary>Maximum bytes of a document without its values.</summary>
    public int FixedBytes { get; }

    /// <summary>The bytes before the value of a column: the quoted field name, a colon and a quotation mark.</summary>
    public ReadOnlySpan<byte> Opener(int column) => _openers[column];

    /// <summary>Reads the settings.</summary>
    /// <param name="columns">Each a column, or <c>column=field</c>.</param>
    /// <param name="timestampField">The field built from the columns <c>date</c> and <c>time</c>; empty for none. A column mapped to the same field replaces
    /// it.</param>
    /// <param name="shape">The shape, when true is returned.</param>
    /// <param name="problem">What is wrong, as a predicate of the setting's name; null when true is returned.</param>
    /// <param name="optional">More columns, which a log may lack.</param>
    public static bool TryCreate(
        IReadOnlyList<string> columns, string timestampField, [NotNullWhen(true)] out DocumentShape? shape, [NotNullWhen(false)] out string? problem,
        IReadOnlyList<string>? optional = null)
    {
        shape = null;
        IReadOnlyList<string> all = [.. columns, .. optional ?? []];
        problem = all.Count is 0 or > MaxColumns ? $"must name 1 to {MaxColumns} columns." : null;
        ImmutableArray<byte[]>.Builder names = ImmutableArray.CreateBuilder<byte[]>();
        ImmutableArray<byte[]>.Builder openers = ImmutableArray.CreateBuilder<byte[]>();
        HashSet<string> knownColumns = new(StringComparer.Ordinal);
        HashSet<string> knownFields = new(StringComparer.Ordinal);
        foreach (string text in all)
        {
            int equals = text.LastIndexOf('=');
            string column = (equals < 0 ? text : text[..equals]).Trim();
            string field = equals < 0 ? FieldOf(column) : text[(equals + 1)..].Trim();
            if (column.Length == 0 || !column.All(c => c is > ' ' and <= '~'))
            {
                problem ??= $"must name columns as a log's #Fields line does, such as cs(User-Agent); \"{text}\" is not a column's name.";
            }
            else if (!IsFieldName(field))
            {
                problem ??= $"must give fields names of 1 to 128 letters, digits, _ - @ or dots; \"{field}\" is not such a name.";
            }
            else if (!knownColumns.Add(column))
            {
                problem ??= $"must name every column once; {column} occurs twice.";
            }
            else if (!knownFields.Add(field))
            {
                problem ??= $"must give every column a field of its own; {field} occurs twice. Write column=field to choose another field.";
            }

            names.Add(Encoding.UTF8.GetBytes(column));
            openers.Add(Encoding.UTF8.GetBytes($"\"{field}\":\""));
        }

        if (problem is not null)
        {
            return false;
        }

        byte[]? timestampOpener = null;
        if (timestampField.Length > 0 && !knownFields.Contains(timestampField))
        {
            timestampOpener = Encoding.UTF8.GetBytes($"\"{timestampField}\":\"");
            names.AddRange(new[] { DateColumn, TimeColumn }.Where(knownColumns.Add).Select(Encoding.UTF8.GetBytes));
        }

        shape = new DocumentShape([.. names], columns.Count, [.. openers], timestampOpener);
        return true;
    }

    /// <summary>True for a valid name of a document's field.</summary>
    public static bool IsFieldName(string field) =>
        field.Length is > 0 and <= 128 && field.All(c => char.IsAsciiLetterOrDigit(c) || c is '_' or '-' or '@' or '.');

    /// <summary>
    /// The default field of a column: in lower case, with <c>_</c> for any character but letters and digits; <c>cs(User-Agent)</c> gives <c>user_agent</c>.
    /// </summary>
    public static string FieldOf(string column)
    {
        int open = column.IndexOf('(', StringComparison.Ordinal);
        string name = open >= 0 && column.EndsWith(')') ? column[(open + 1)..^1] : column;
        return string.Create(name.Length, name, static (field, from) =>
        {
            for (int i = 0; i < from.Length; i++)
            {
                field[i] = char.IsAsciiLetterOrDigit(from[i]) ? char.ToLowerInvariant(from[i]) : '_';
            }
        });
    }
}
