using System.Runtime.InteropServices;

namespace Messaging.Archive.Headers;

/// <summary>The location of one property's value, or the progress of the walk in an object or array on a path. 24 bytes, in an array of the header.</summary>
[StructLayout(LayoutKind.Auto)]
internal struct HeaderValue
{
    /// <summary>Index of the first byte, in the body or in the header's unescaped bytes. For an array: the index of its next element.</summary>
    public int Start;

    /// <summary>Length in bytes; 0 for null and for the empty string. For an array: how many of its used elements were found.</summary>
    public int Length;

    /// <summary>Index in the body of the value's first byte, which is the quote of a string; 0 when there is no value. For an object or array: the number of properties that were missing before it.</summary>
    public int Position;

    /// <summary>The date, when the property is used as a date and has one.</summary>
    public HeaderDate Date;

    /// <summary>The property occurred; its value may be null.</summary>
    public bool Found;

    /// <summary>The value had escapes, so its bytes are in the header's buffer, not in the body.</summary>
    public bool Unescaped;
}
