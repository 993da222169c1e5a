using System.Text;

namespace Worker.Handlers.Archive;

/// <summary>A property of the body's top-level object that <see cref="ArchiveHeaderReader"/> looks for.</summary>
internal sealed class HeaderProperty
{
    /// <param name="name">The JSON property name, unescaped; compared byte by byte, so case counts.</param>
    /// <param name="use">What the value is used for.</param>
    public HeaderProperty(string name, HeaderUse use)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        Name = name;
        Use = use;
        Utf8Name = Encoding.UTF8.GetBytes(name);
    }

    public string Name { get; }

    public HeaderUse Use { get; }

    internal byte[] Utf8Name { get; }
}
