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
