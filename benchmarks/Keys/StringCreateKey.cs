namespace Benchmarks.Keys;

/// <summary>Frozen: the key written directly into the returned string.</summary>
internal static class StringCreateKey
{
    public static string Of(KeyMessage message) =>
        string.Create(KeyLength.Of(message), message, static (key, state) => SpanBasedKey.Write(state, key));
}
