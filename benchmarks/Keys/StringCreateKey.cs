namespace Benchmarks.Keys;

/// <summary>Frozen: the key written straight into the string that is returned.</summary>
internal static class StringCreateKey
{
    public static string Of(KeyMessage message) =>
        string.Create(KeyLength.Of(message), message, static (key, state) => SpanBasedKey.Write(state, key));
}
