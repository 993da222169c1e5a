using Quayside.Messaging.Configuration;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Sources.Polling;

namespace Messaging.Tests.Sources.Polling;

/// <summary>Each file of a folder is a message; one worker per folder. Senders write a file elsewhere and move it in, so that it is whole.</summary>
internal sealed class FolderSource(FolderOptions options, SourceServices services) : PollingMessageSource<string>(services)
{
    // In the same file system, so that a move is a rename.
    private string Claimed => Path.Combine(options.Path, ".claimed");

    protected override TimeSpan MinPollInterval => options.PollInterval;

    public override Task CheckAsync(CancellationToken cancellationToken)
    {
        try
        {
            Directory.CreateDirectory(Claimed);
            foreach (string file in Directory.EnumerateFiles(Claimed))
            {
                // A killed worker had claimed it.
                File.Move(file, Path.Combine(options.Path, Path.GetFileName(file)));
            }
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new StartupException(
                $"Sources:Folder:Path: {exception.Message} The worker needs to read, write and rename there.", ExitCodes.Unavailable, exception);
        }

        return Task.CompletedTask;
    }

    protected override ValueTask<IReadOnlyList<string>> ClaimAsync(int max, CancellationToken cancellationToken)
    {
        List<string> claimed = [];
        foreach (string file in Directory.EnumerateFiles(options.Path).Take(max))
        {
            string name = Path.GetFileName(file);
            File.Move(file, Path.Combine(Claimed, name));
            claimed.Add(name);
        }

        return new(claimed);
    }

    protected override string GetId(string item) => Uri.UnescapeDataString(item);

    protected override async ValueTask<ReadOnlyMemory<byte>> ReadAsync(string item, CancellationToken cancellationToken) =>
        await File.ReadAllBytesAsync(Path.Combine(Claimed, item), cancellationToken);

    protected override ValueTask CompleteAsync(string item, CancellationToken cancellationToken)
    {
        File.Delete(Path.Combine(Claimed, item));
        return default;
    }

    protected override ValueTask ReleaseAsync(string item, CancellationToken cancellationToken)
    {
        File.Move(Path.Combine(Claimed, item), Path.Combine(options.Path, item));
        return default;
    }
}

internal sealed class FolderOptions
{
    [Setting("Folder whose files are messages; their names are the ids", Required = true)]
    public string Path { get; set; } = string.Empty;

    [Setting("Pause after the last file; doubles while the folder is empty", Min = "1ms", Max = "5s")]
    public TimeSpan PollInterval { get; set; } = TimeSpan.FromMilliseconds(100);
}
