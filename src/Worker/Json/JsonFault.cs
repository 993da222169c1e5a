namespace Worker.Json;

/// <summary>What is wrong with a JSON text.</summary>
internal enum JsonFault
{
    /// <summary>Nothing is wrong.</summary>
    None = 0,

    /// <summary>The grammar of RFC 8259 is broken, or the text ends too early.</summary>
    Malformed,

    /// <summary>An escape encodes half a surrogate pair, such as <c>\ud800</c> alone, which is not valid Unicode.</summary>
    LoneSurrogate,

    /// <summary>More than <see cref="JsonScanner.MaxDepth"/> levels of objects and arrays.</summary>
    TooDeep,

    /// <summary>An object has a name twice.</summary>
    DuplicateName,

    /// <summary>The reader rejects the JSON, and keeps the reason itself.</summary>
    Refused,
}
