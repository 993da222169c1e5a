namespace Quayside.Messaging.CloudFront.Rows;

/// <summary>
/// Maps the chosen columns to their positions in a row, by the log's fields directive or the properties of a JSON row. Threads: one at a time.
/// </summary>
/// <param name="names">The chosen columns, as the directive spells them, UTF-8.</param>
/// <param name="required">How many of them, from the first, a log must have; any other that it lacks is empty.</param>
internal sealed class ColumnMap(byte[][] names, int required)
{
    private readonly int[] _places = new int[names.Length];

    /// <summary>Number of columns that a row must have; 0 before a directive is read.</summary>
    public int Count { get; private set; }

    /// <summary>The chosen columns.</summary>
    public byte[][] Names => names;

    /// <summary>Number of tabs per row whose positions are needed to find every chosen column.</summary>
    public int TabsNeeded => _places.Max() + 1;

    /// <summary>The first required column that the directive, or the JSON row, did not name; null when it named all.</summary>
    public string? Missing { get; private set; }

    /// <summary>Reads a fields directive.</summary>
    /// <param name="fields">What follows <c>#Fields:</c>: names separated by blanks or tabs.</param>
    public string? Read(ReadOnlySpan<byte> fields)
    {
        _places.AsSpan().Fill(-1);
        Missing = null;
        int count = 0;
        foreach (Range range in fields.SplitAny((byte)' ', (byte)'\t'))
        {
            ReadOnlySpan<byte> name = fields[range];
            if (name.IsEmpty)
            {
                continue;
            }

            int chosen = Find(name);
            if (chosen >= 0)
            {
                if (_places[chosen] >= 0)
                {
                    return LogFault.BadFields;
                }

                _places[chosen] = count;
            }

            count++;
        }

        Count = count;
        return count == 0 ? LogFault.BadFields
            : FindMissing() ? LogFault.MissingColumn
            : null;
    }

    /// <summary>Forgets the places: each row of a JSON log names its columns itself.</summary>
    public void Clear()
    {
        _places.AsSpan().Fill(-1);
        Count = 0;
    }

    /// <summary>Gives a chosen column the next place.</summary>
    /// <returns>False when it has one already.</returns>
    public bool TryPlace(int chosen)
    {
        if (_places[chosen] >= 0)
        {
            return false;
        }

        _places[chosen] = Count++;
        return true;
    }

    /// <returns>True when a required column has no place; <see cref="Missing"/> is the first.</returns>
    public bool FindMissing()
    {
        int missing = _places.AsSpan(0, required).IndexOf(-1);
        Missing = missing < 0 ? null : System.Text.Encoding.UTF8.GetString(names[missing]);
        return missing >= 0;
    }

    /// <summary>The position of a chosen column in a row, from 0; -1 when the log lacks it.</summary>
    public int PlaceOf(int chosen) => _places[chosen];

    private int Find(ReadOnlySpan<byte> name)
    {
        for (int i = 0; i < names.Length; i++)
        {
            if (name.SequenceEqual(names[i]))
            {
                return i;
            }
        }

        return -1;
    }
}
