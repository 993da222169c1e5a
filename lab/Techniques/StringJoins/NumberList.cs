using System.Globalization;
using System.Runtime.CompilerServices;
using System.Text;

namespace Lab.Techniques.StringJoins;

/// <summary>The numbers from 0 to below a count, separated by a comma and a blank.</summary>
internal static class NumberList
{
    private const int StackChars = 64;

    /// <summary>Frozen: the original, one string per number.</summary>
    public static string Join(int count) => string.Join(", ", Enumerable.Range(0, count).Select(number => number.ToString(CultureInfo.InvariantCulture)));

    public static string Builder(int count)
    {
        StringBuilder list = new();
        for (int number = 0; number < count; number++)
        {
            list.Append(number).Append(", ");
        }

        // Nothing to remove when nothing was written.
        return list.ToString(0, Math.Max(0, list.Length - 2));
    }

    /// <summary>On the stack, then in rented arrays as it grows.</summary>
    public static string ValueBuilder(int count)
    {
        using ValueCharList list = new(stackalloc char[StackChars]);
        for (int number = 0; number < count; number++)
        {
            list.Append(number > 0 ? ", " : string.Empty);
            list.Append(number);
        }

        return list.ToString();
    }

    /// <summary>The same from the runtime: what the compiler uses for interpolated strings.</summary>
    public static string Handler(int count)
    {
        DefaultInterpolatedStringHandler list = new(0, 0, CultureInfo.InvariantCulture, stackalloc char[StackChars]);
        for (int number = 0; number < count; number++)
        {
            list.AppendLiteral(number > 0 ? ", " : string.Empty);
            list.AppendFormatted(number);
        }

        return list.ToStringAndClear();
    }
}
