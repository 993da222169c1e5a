using System.Runtime.InteropServices;

namespace Worker.Headers;

/// <summary>Where one property's value lies, or how far the walk is in an object or array on a path. 24 bytes, held in an array of the header.</summary>
[StructLayout(LayoutKind.Auto)]
internal struct HeaderValue
{
    /// <summary>Index of the first byte, in the body or in the header's unescaped bytes. Of an array: the index of its next element.</summary>
    public int Start;

    /// <summary>Bytes; 0 for null and for the empty string. Of an array: how many of its used elements were met.</summary>
    public int Length;

    /// <summary>Index in the body of the value's first byte, which is the quote of a string; 0 when there is no value. Of an object or array: the properties that were missing before it.</summary>
    public int Position;

    /// <summary>The date, where the property is used as one and has one.</summary>
    public HeaderDate Date;

    /// <summary>The property occurred; its value may be null.</summary>
    public bool Found;

    /// <summary>The value had escapes, so its bytes stand in the header, not in the body.</summary>
    public bool Unescaped;
}
