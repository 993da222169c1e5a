using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Archive.Headers;

/// <summary>A value that <see cref="ArchiveHeaderReader"/> looks for in a body.</summary>
/// <param name="Path">Its path.</param>
/// <param name="Use">Its use.</param>
internal sealed record HeaderProperty(PropertyPath Path, HeaderUse Use)
{
    /// <param name="name">The name of a top-level property, unescaped.</param>
    /// <param name="use">The use of the value.</param>
    public HeaderProperty(string name, HeaderUse use)
        : this(PropertyPath.Of(name), use)
    {
    }

    /// <summary>The path as in a template, with names quoted only when they must be.</summary>
    public string Name => Path.Text;

    /// <summary>The name for logs and errors: escaped where it needs it, cut when it is long.</summary>
    public string LogText => UntrustedText.Shorten(Path.Text);
}

/// <summary>The uses of a property's value; one property may have several.</summary>
[Flags]
internal enum HeaderUse
{
    None = 0,

    /// <summary>As text: a string.</summary>
    Text = 1,

    /// <summary>As a date: a string that is a date, or empty.</summary>
    Date = 2,

    /// <summary>As the JSON text of a number or a boolean.</summary>
    Number = 4,

    /// <summary>As a date in seconds since 1970: a number, or a string with one.</summary>
    Epoch = 8,

    /// <summary>As a date in milliseconds since 1970: a number, or a string with one.</summary>
    EpochMs = 16,

    /// <summary>As a date in microseconds since 1970: a number, or a string with one.</summary>
    EpochUs = 32,

    /// <summary>As a date in nanoseconds since 1970: a number, or a string with one.</summary>
    EpochNs = 64,

    /// <summary>As text, or as the JSON text of a number or a boolean.</summary>
    Any = 128,

    /// <summary>As the text of a string, a number or a boolean, for metadata and tags; any other value counts as missing.</summary>
    Raw = 256,

    /// <summary>Every unit of a date that is a number; a property has at most one.</summary>
    AnyEpoch = Epoch | EpochMs | EpochUs | EpochNs,

    /// <summary>Every kind of date; a property has at most one.</summary>
    AnyDate = Date | AnyEpoch,
}
