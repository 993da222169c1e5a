namespace Worker.Headers;

/// <summary>How much of a message's body must be valid before the message is stored. See docs/reference/object-keys.md.</summary>
internal enum BodyValidation
{
    /// <summary>
    /// The default: the whole body is one valid JSON object (RFC 8259) in valid UTF-8, at most 64 levels deep, without lone
    /// surrogate escapes, and no property that the key uses occurs twice at the top level.
    /// </summary>
    Full = 0,

    /// <summary>As <see cref="Full"/>, and no object at any depth has the same property twice.</summary>
    Strict,

    /// <summary>
    /// Reading stops when every property that the key uses was found. Only the part read until then must be valid JSON, and only
    /// the values used must be valid UTF-8 without lone surrogates. This is the fastest; a malformed rest is stored unchanged.
    /// </summary>
    HeaderOnly,
}
