using System.Text;

namespace Lab.Techniques.StringCreation;

/// <summary>Three parts in lower case, joined by slashes.</summary>
internal static class LowerPath
{
    private const int StackChars = 256;

    /// <summary>Frozen: a string joined, another lowered.</summary>
    public static string Original(string first, string second, string third) => (first + "/" + second + "/" + third).ToLowerInvariant();

    public static string Builder(string first, string second, string third)
    {
        StringBuilder path = new();
        return Append(Append(Append(path, first).Append('/'), second).Append('/'), third).ToString();
    }

    public static string OnTheStack(string first, string second, string third)
    {
        int length = Length(first, second, third);
        Span<char> path = length <= StackChars ? stackalloc char[StackChars] : new char[length];
        Fill(path[..length], first, second, third);
        return new string(path[..length]);
    }

    /// <summary>Written into the string itself; the state is passed as a value, and the callback is cached.</summary>
    public static string Create(string first, string second, string third) =>
        string.Create(Length(first, second, third), (first, second, third), static (path, parts) => Fill(path, parts.first, parts.second, parts.third));

    private static int Length(string first, string second, string third) => first.Length + second.Length + third.Length + 2;

    private static void Fill(Span<char> path, string first, string second, string third)
    {
        first.AsSpan().ToLowerInvariant(path);
        path[first.Length] = '/';
        path = path[(first.Length + 1)..];
        second.AsSpan().ToLowerInvariant(path);
        path[second.Length] = '/';
        third.AsSpan().ToLowerInvariant(path[(second.Length + 1)..]);
    }

    private static StringBuilder Append(StringBuilder path, string part)
    {
        foreach (char one in part)
        {
            path.Append(char.ToLowerInvariant(one));
        }

        return path;
    }
}
