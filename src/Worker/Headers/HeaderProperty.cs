using System.Text;

namespace Worker.Headers;

/// <summary>A value that <see cref="ArchiveHeaderReader"/> looks for in a body.</summary>
/// <param name="Path">Where it stands.</param>
/// <param name="Use">What it is used for.</param>
internal sealed record HeaderProperty(PropertyPath Path, HeaderUse Use)
{
    /// <param name="name">The name of a top-level property, unescaped.</param>
    /// <param name="use">What the value is used for.</param>
    public HeaderProperty(string name, HeaderUse use)
        : this(PropertyPath.Of(name), use)
    {
    }

    /// <summary>The path as a template writes it: a top-level property's name, quoted only if it must be.</summary>
    public string Name => Path.Text;

    /// <summary>The name as printable ASCII, cut where it is long: for logs and errors.</summary>
    public string LogText => PropertyLogText.From(Encoding.UTF8.GetBytes(Path.Text));
}

/// <summary>What a property's value is used for; one property may be used in more than one way.</summary>
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

    /// <summary>Every kind of date; a property has at most one.</summary>
    AnyDate = Date | Epoch | EpochMs,
}
