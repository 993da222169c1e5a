using Quayside.Messaging.Configuration;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Sinks;

namespace Quayside.Messaging.Storage;

/// <summary>The sink <c>Directory</c>: one file per object below a folder.</summary>
internal sealed class DirectorySinkFeature : ISinkFeature
{
    public string Name => "Directory";

    public IReadOnlyList<SettingsSection> Settings { get; } = [SettingsSection.Of<DirectorySinkOptions>(DirectorySinkOptions.Section)];

    public SinkPlan Configure(SettingsReader settings, string route)
    {
        DirectorySinkOptions options = settings.Read<DirectorySinkOptions>(DirectorySinkOptions.Section, route);
        if (options.Path.Contains('\0', StringComparison.Ordinal))
        {
            settings.Fail($"{DirectorySinkOptions.Section}:{nameof(options.Path)}", value: null, "must be a path.");
        }

        CheckDeadLetters(settings, options);
        return new SinkPlan
        {
            Create = services => new DirectorySink(options, services),
            ReservedLevels = [new ReservedLevel(DurableFolder.TemporaryFolder, "the folder sink keeps its unfinished files there")],
        };
    }

    // Both folders keep unfinished files in .tmp, and redrive reads every record below its folder as a dead letter.
    private static void CheckDeadLetters(SettingsReader settings, DirectorySinkOptions options)
    {
        string path = settings.Read<DeadLettersOptions>("DeadLetters").Path;
        if (path.Contains('\0', StringComparison.Ordinal) || options.Path.Contains('\0', StringComparison.Ordinal))
        {
            return;
        }

        string letters = Folder(path);
        string objects = Folder(options.Path);
        if (letters.StartsWith(objects, StringComparison.Ordinal) || objects.StartsWith(letters, StringComparison.Ordinal))
        {
            settings.Fail(
                $"DeadLetters:{nameof(DeadLettersOptions.Path)}",
                path,
                $"must be separate from the folder of the objects ({DirectorySinkOptions.Section}:{nameof(options.Path)} = {options.Path}): "
                    + "not the same, and neither inside the other.",
                "Objects and dead letters would mix, and redrive would read objects as dead letters.");
        }
    }

    private static string Folder(string path) => Path.TrimEndingDirectorySeparator(Path.GetFullPath(path)) + Path.DirectorySeparatorChar;
}

internal sealed class DirectorySinkOptions : ISelfValidating
{
    public const string Section = "Sinks:Directory";

    [Setting("Folder of the objects; a relative path starts at the working directory")]
    public string Path { get; set; } = "data";

    [Setting(
        "Flush each object and its folder to the disk before the message is acknowledged",
        Consequence = "Without it a power failure can lose acknowledged messages; a crash of the worker alone cannot.", Advanced = true)]
    public bool Fsync { get; set; } = true;

    /// <summary>Objects written in parallel, each on its own thread; measurements and tests change it.</summary>
    public int Threads { get; set; } = 16;

    [Setting(
        "Octal permissions of the object files on Unix, independent of the umask; 0600 to 0666, with read and write for the owner",
        Consequence = "Objects contain the data of the senders; other users of the machine should not be able to read them.", Advanced = true)]
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
            check.Fail(
                nameof(FileMode), "must be octal permissions that let the owner read and write and grant no execution, such as 0600, 0640, 0644 or 0660.");
        }
    }
}

/// <summary>Permissions of a file as operators write them: octal, such as <c>0640</c>.</summary>
internal static class OctalFileMode
{
    private const int Owner = (int)(UnixFileMode.UserRead | UnixFileMode.UserWrite);
    private const int Allowed = Owner | (int)(UnixFileMode.GroupRead | UnixFileMode.GroupWrite | UnixFileMode.OtherRead | UnixFileMode.OtherWrite);

    /// <summary>Reads three octal digits, with or without a leading 0. The owner must be able to read and write; nothing may be executable.</summary>
    public static bool TryParse(string text, out UnixFileMode mode)
    {
        mode = default;
        string digits = text.Length == 4 && text[0] == '0' ? text[1..] : text;
        if (digits.Length != 3 || !digits.All(digit => digit is >= '0' and <= '7'))
        {
            return false;
        }

        int bits = Convert.ToInt32(digits, 8);
        mode = (UnixFileMode)bits;
        return (bits & Owner) == Owner && (bits & ~Allowed) == 0;
    }
}
