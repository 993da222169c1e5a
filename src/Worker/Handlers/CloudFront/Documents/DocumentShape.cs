using System.Collections.Immutable;
using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace Worker.Handlers.CloudFront.Documents;

/// <summary>Which columns become which fields of a document. Immutable: one instance serves all threads.</summary>
internal sealed class DocumentShape
{
    // A row has 33 columns at most today; a bit a column fits a long.
    private const int MaxColumns = 64;

    private readonly byte[][] _openers;

    private DocumentShape(byte[][] columns, byte[][] openers)
    {
        Columns = columns;
        _openers = openers;
        FixedBytes = 2 + openers.Sum(opener => opener.Length + 2);
    }

    /// <summary>The columns as a fields directive spells them, UTF-8.</summary>
    public byte[][] Columns { get; }

    /// <summary>Most bytes of a document beside its values.</summary>
    public int FixedBytes { get; }

    /// <summary>What stands before the value of a column: the field's name, a colon and a quotation mark.</summary>
    public ReadOnlySpan<byte> Opener(int column) => _openers[column];

    /// <summary>Reads the setting.</summary>
    /// <param name="columns">Each a column, or <c>column=field</c>.</param>
    /// <param name="shape">The shape, when true is returned.</param>
    /// <param name="problem">What is wrong, as the rest of a sentence about the setting; null when true is returned.</param>
    public static bool TryCreate(IReadOnlyList<string> columns, [NotNullWhen(true)] out DocumentShape? shape, [NotNullWhen(false)] out string? problem)
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
            else if (field.Length is 0 or > 128 || !field.All(c => char.IsAsciiLetterOrDigit(c) || c is '_' or '-' or '@' or '.'))
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

        shape = new DocumentShape([.. names], [.. openers]);
        return true;
    }

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
