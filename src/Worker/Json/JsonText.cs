namespace Worker.Json;

/// <summary>The location of a JSON string in the text, without its quotes.</summary>
/// <param name="Start">Index of the first byte after the opening quote.</param>
/// <param name="Length">Bytes between the quotes, escapes as written; may be 0.</param>
/// <param name="HasEscapes">True when the bytes must be unescaped before use.</param>
/// <param name="HasLoneSurrogate">True when an escape encodes half a surrogate pair; such text cannot be unescaped.</param>
internal readonly record struct JsonText(int Start, int Length, bool HasEscapes, bool HasLoneSurrogate)
{
    /// <summary>The bytes between the quotes.</summary>
    /// <param name="json">The text that was scanned.</param>
    public ReadOnlySpan<byte> In(ReadOnlySpan<byte> json) => json.Slice(Start, Length);
}
