using System.Collections.Immutable;
using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace Messaging.CloudFront.Documents;

/// <summary>Which columns become which fields of a document. Immutable: one instance serves all threads.</summary>
internal sealed class DocumentShape
{
    // A row has 33 columns at most today; a bit a column fits a long.
    private const int MaxColumns = 64;

    private const string DateColumn = "date";
    private const string TimeColumn = "time";

    private readonly byte[][] _openers;

    private DocumentShape(byte[][] columns, byte[][] openers, byte[]? timestampOpener)
    {
        Columns = columns;
        _openers = openers;
        TimestampOpener = timestampOpener;
        Date = Array.FindIndex(columns, column => column.AsSpan().SequenceEqual("date"u8));
        Time = Array.FindIndex(columns, column => column.AsSpan().SequenceEqual("time"u8));
        FixedBytes = 2 + openers.Sum(opener => opener.Length + 2) + (timestampOpener is null ? 0 : timestampOpener.Length + RowTimestamp.Length + 2);
    }

    /// <summary>The columns to read as a fields directive spells them, UTF-8: the chosen ones, then what only the timestamp needs.</summary>
    public byte[][] Columns { get; }

    /// <summary>How many of <see cref="Columns"/> become fields, counted from the first.</summary>
    public int Fields => _openers.Length;

    /// <summary>The timestamp's field name, a colon and a quotation mark; null for documents without a timestamp.</summary>
    public byte[]? TimestampOpener { get; }

    /// <summary>Index of the column <c>date</c>; -1 when it is not read.</summary>
    public int Date { get; }

    /// <summary>Index of the column <c>time</c>; -1 when it is not read.</summary>
    public int Time { get; }

    /// <summary>Most bytes of a document beside its values.</summary>
    public int FixedBytes { get; }

    /// <summary>What stands before the value of a column: the field's name, a colon and a quotation mark.</summary>
    public ReadOnlySpan<byte> Opener(int column) => _openers[column];

    /// <summary>Reads the settings.</summary>
    /// <param name="columns">Each a column, or <c>column=field</c>.</param>
    /// <param name="timestampField">The field made of the columns <c>date</c> and <c>time</c>; empty for none. A column given the same field takes its place.</param>
    /// <param name="shape">The shape, when true is returned.</param>
    /// <param name="problem">What is wrong, as the rest of a sentence about the setting; null when true is returned.</param>
    public static bool TryCreate(IReadOnlyList<string> columns, string timestampField, [NotNullWhen(true)] out DocumentShape? shape, [NotNullWhen(false)] out string? problem)
    {
        shape = null;
        problem = columns.Count is 0 or > MaxColumns ? $"must name 1 to {MaxColumns} columns." : null;
        ImmutableArray<byte[]>.Builder names = ImmutableArray.CreateBuilder<byte[]>();
        ImmutableArray<byte[]>.Builder openers = ImmutableArray.CreateBuilder<byte[]>();
        HashSet<string> knownColumns = new(StringComparer.Ordinal);
        HashSet<string> knownFields = new(StringComparer.Ordinal);
        foreach (string text in columns)
        {
            int equals = text.LastIndexOf('=');
            string column = (equals < 0 ? text : text[..equals]).Trim();
            string field = equals < 0 ? FieldOf(column) : text[(equals + 1)..].Trim();
            if (column.Length == 0 || !column.All(c => c is > ' ' and <= '~'))
            {
                problem ??= $"must name columns as a log's #Fields line does, such as cs(User-Agent); \"{text}\" is none.";
            }
            else if (!IsFieldName(field))
            {
                problem ??= $"must give fields names of 1 to 128 letters, digits, _ - @ or dots; \"{field}\" is none.";
            }
            else if (!knownColumns.Add(column))
            {
                problem ??= $"must name every column once; {column} comes twice.";
            }
            else if (!knownFields.Add(field))
            {
                problem ??= $"must give every column a field of its own; {field} comes twice. Write column=field to choose another.";
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

        shape = new DocumentShape([.. names], [.. openers], timestampOpener);
        return true;
    }

    /// <summary>True for a name that a document's field may have.</summary>
    public static bool IsFieldName(string field) => field.Length is > 0 and <= 128 && field.All(c => char.IsAsciiLetterOrDigit(c) || c is '_' or '-' or '@' or '.');

    /// <summary>The field of a column: in lower case, what is neither letter nor digit becomes <c>_</c>, and <c>cs(User-Agent)</c> is <c>user_agent</c>.</summary>
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
