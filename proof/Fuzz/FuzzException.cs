namespace Proof.Fuzz;

/// <summary>A parser and its twin disagree, or a parser broke one of its rules.</summary>
internal sealed class FuzzException(string message) : Exception(message)
{
    public static void ThrowUnless(bool condition, string message)
    {
        if (!condition)
        {
            throw new FuzzException(message);
        }
    }

    public static void ThrowIfDifferent<T>(T actual, T expected, string what)
    {
        if (!EqualityComparer<T>.Default.Equals(actual, expected))
        {
            throw new FuzzException($"{what}: {actual}; the twin: {expected}");
        }
    }
}
