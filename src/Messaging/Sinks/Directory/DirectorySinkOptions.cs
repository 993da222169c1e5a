using Messaging.Configuration;
using Messaging.Files;

namespace Messaging.Sinks.Directory;

/// <summary>Section <c>Sinks:Directory</c>.</summary>
internal sealed class DirectorySinkOptions : ISelfValidating
{
    public const string Section = "Sinks:Directory";

    [Setting("Folder the objects are stored in; relative to the working directory")]
    public string Path { get; set; } = "data";

    [Setting("Flush every object and its folder to the disk before the message is acknowledged", Consequence = "Without it a power failure can lose acknowledged messages; a crash of the worker alone cannot.")]
    public bool Fsync { get; set; } = true;

    [Setting("Objects written at once, each by a thread of its own that waits for the disk", Min = "1", Max = "1000", Consequence = "Too few leave a disk idle that takes long to flush but flushes many at once; each thread takes some memory.")]
    public int Threads { get; set; } = 16;

    [Setting("Permissions of the objects' files on Unix, octal, whatever the umask; 0600 to 0666, readable and writable for the owner", Consequence = "Objects hold what senders sent: others on the machine should not read them unasked.")]
    public string FileMode { get; set; } = "0640";

    public void Validate(SettingsCheck check)
    {
        if (!Fsync)
        {
            check.Warn(
                nameof(Fsync),
                "acknowledges messages before they are on the disk.",
                "A power failure or a crash of the machine can lose them; a crash of the worker alone cannot.");
        }

        if (!OctalFileMode.TryParse(FileMode, out _))
        {
            check.Fail(nameof(FileMode), "must be octal permissions that let the owner read and write and grant no execution, such as 0600, 0640, 0644 or 0660.");
        }
    }
}
