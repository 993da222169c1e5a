using System.ComponentModel;
using System.Text;

namespace Quayside.Messaging.Storage;

/// <summary>Finds, without changing anything, why files could not be stored below a folder. A full disk and a file system without hard links show only when a file is written.</summary>
internal static class FolderCheck
{
    // NAME_MAX of the usual file systems.
    private const int MaxNameBytes = 255;

    /// <returns>The predicate of a sentence about the folder; null when nothing is wrong.</returns>
    public static string? FindProblem(string path)
    {
        string root = Path.TrimEndingDirectorySeparator(Path.GetFullPath(path));
        string? existing = root;
        while (existing is not null && !Directory.Exists(existing))
        {
            if (File.Exists(existing) || new FileInfo(existing).LinkTarget is not null)
            {
                return existing == root ? "is a file or a broken link, not a folder." : $"cannot be created: '{existing}' is a file or a broken link, not a folder.";
            }

            if (Encoding.UTF8.GetByteCount(Path.GetFileName(existing)) > MaxNameBytes)
            {
                return $"cannot be created: a name of more than {MaxNameBytes} bytes is too long.";
            }

            existing = Path.GetDirectoryName(existing);
        }

        if (existing is null || FindRefusal(existing) is not { } refusal)
        {
            return existing == root ? FindProblemOfTemporary(Path.Combine(root, DurableFolder.TemporaryFolder)) : null;
        }

        return existing == root
            ? $"cannot be written ({refusal}): make it writable for user {Environment.UserName}, or choose another folder."
            : $"does not exist, and '{existing}' cannot be written ({refusal}): create the folder for user {Environment.UserName}, or choose another one.";
    }

    private static string? FindProblemOfTemporary(string folder) =>
        File.Exists(folder) ? $"has a file '{folder}', where the folder for unfinished files belongs: remove it."
        : Directory.Exists(folder) && FindRefusal(folder) is { } refusal ? $"has a folder '{folder}' that cannot be written ({refusal}): make it writable for user {Environment.UserName}."
        : null;

    private static string? FindRefusal(string folder) =>
        OperatingSystem.IsWindows() || PosixCalls.MayWriteIn(folder) is not (> 0 and int error) ? null : new Win32Exception(error).Message;
}
