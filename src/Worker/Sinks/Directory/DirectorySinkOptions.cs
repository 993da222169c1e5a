using Worker.Configuration;

namespace Worker.Sinks.Directory;

/// <summary>Section <c>Sinks:Directory</c>.</summary>
internal sealed class DirectorySinkOptions
{
    public const string Section = "Sinks:Directory";

    [Setting("Folder the objects are stored in; relative to the working directory")]
    public string Path { get; set; } = "data";

    [Setting("Flush every object and its folder to the disk before the message is acknowledged", Consequence = "Without it a power failure can lose acknowledged messages; a crash of the worker alone cannot.")]
    public bool Fsync { get; set; } = true;
}
