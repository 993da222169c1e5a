using Messaging.Configuration;

namespace Messaging.Storage;

internal sealed class DirectorySinkOptions : ISelfValidating
{
    public const string Section = "Sinks:Directory";

    [Setting("Folder of the objects; a relative path starts at the working directory")]
    public string Path { get; set; } = "data";

    [Setting("Flush each object and its folder to the disk before the message is acknowledged", Consequence = "Without it a power failure can lose acknowledged messages; a crash of the worker alone cannot.")]
    public bool Fsync { get; set; } = true;

    [Setting("Objects written in parallel, each on its own thread", Min = "1", Max = "1000", Consequence = "Too few threads waste the capacity of a disk that flushes slowly but in parallel; each thread uses some memory.")]
    public int Threads { get; set; } = 16;

    [Setting("Octal permissions of the object files on Unix, independent of the umask; 0600 to 0666, with read and write for the owner", Consequence = "Objects contain the data of the senders; other users of the machine should not be able to read them.")]
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
