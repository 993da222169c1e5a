namespace Quayside.Messaging.Configuration;

/// <summary>Finds the name that a mistyped one may have meant.</summary>
internal static class NearestName
{
    private const int MinPrefix = 3;

    /// <summary>The only known name that begins with <paramref name="name"/>, or the one with the fewest edits; the case of letters does not count.</summary>
    /// <returns>Null when none is near enough.</returns>
    public static string? Find(string name, IEnumerable<string> known)
    {
        string[] names = [.. known];
        if (name.Length >= MinPrefix && Array.FindAll(names, candidate => candidate.StartsWith(name, StringComparison.OrdinalIgnoreCase)) is [var only])
        {
            return only;
        }

        if (names.Length == 0)
        {
            return null;
        }

        (string nearest, int distance) = names.Select(candidate => (candidate, Distance: EditDistance(candidate, name))).MinBy(found => found.Distance);
        return distance <= Math.Max(2, name.Length / 3) && distance < name.Length ? nearest : null;
    }

    private static int EditDistance(string left, string right)
    {
        int[] row = [.. Enumerable.Range(0, right.Length + 1)];
        for (int i = 1; i <= left.Length; i++)
        {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= right.Length; j++)
            {
                int cost = char.ToLowerInvariant(left[i - 1]) == char.ToLowerInvariant(right[j - 1]) ? 0 : 1;
                int next = Math.Min(Math.Min(row[j] + 1, row[j - 1] + 1), diagonal + cost);
                diagonal = row[j];
                row[j] = next;
            }
        }

        return row[^1];
    }
}
