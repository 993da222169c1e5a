namespace Lab.Json;

/// <summary>Checks that every level finds the same: figures of different work are worthless.</summary>
internal static class LevelCheck
{
    public static void Require(MessageFields expected, params ReadOnlySpan<MessageFields> found)
    {
        foreach (MessageFields one in found)
        {
            if (one != expected)
            {
                throw new InvalidOperationException($"A level reads {one} where another reads {expected}.");
            }
        }
    }

    public static void Require(List<string> expected, params ReadOnlySpan<List<string>> found)
    {
        foreach (List<string> one in found)
        {
            if (expected.Count == 0 || !one.SequenceEqual(expected, StringComparer.Ordinal))
            {
                throw new InvalidOperationException($"A level finds {one.Count} failed ids where another finds {expected.Count}, or others.");
            }
        }
    }
}
