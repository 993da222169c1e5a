using Microsoft.Extensions.Logging;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Sinks.Bundles;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Storage;

/// <summary>
/// Turns the files that processes left unfinished in a folder when they died into dead letters of the reason <see cref="Reason"/>,
/// since each may be the only copy of a message. Whole messages can be redriven, also those of a bundle, each by itself; of others the
/// beginning is kept for inspection.
/// </summary>
/// <param name="folder">Where to look.</param>
/// <param name="store">Stores the dead letters.</param>
/// <param name="threads">Run the file calls.</param>
/// <param name="time">The clock.</param>
/// <param name="logger">Logs each file that is skipped.</param>
internal sealed partial class UnfinishedDeadLetters(DurableFolder folder, IDeadLetterStore store, FileThreads threads, TimeProvider time, ILogger logger)
{
    public const string Reason = "unfinished-at-stop";

    private static readonly ParallelOptions Writes = new() { MaxDegreeOfParallelism = DirectoryDeadLetterStore.Threads };

    /// <summary>
    /// Keeps every file that can be read; others are logged and stay. Each file is deleted only after its dead letter is stored, so nothing is lost when this
    /// ends early.
    /// </summary>
    /// <param name="source">What the records name as their source.</param>
    /// <param name="route">The route that the records name if the file names none.</param>
    /// <param name="cancellationToken">Stops it between two files.</param>
    /// <returns>How many files became dead letters, and how many of those are incomplete.</returns>
    /// <exception cref="IOException">A dead letter cannot be stored, or the folder cannot be read.</exception>
    public async Task<(int Kept, int Incomplete)> KeepAsync(string source, string route, CancellationToken cancellationToken)
    {
        int kept = 0;
        int incomplete = 0;
        foreach (string path in await OnThreadAsync(() => folder.FindUnfinished(time.GetUtcNow()), cancellationToken))
        {
            using UnfinishedFile? file = await OnThreadAsync(() => TryOpen(path), cancellationToken);
            if (file is null)
            {
                continue;
            }

            if (file.IsWhole || !file.Bytes.IsEmpty)
            {
                DeadLetter letter = Describe(file, source, NamedRoute.IsName(file.Route) ? file.Route : route);
                if (IsBundle(file))
                {
                    await KeepBundleAsync(file, letter);
                }
                else
                {
                    await store.WriteAsync(letter, file.Bytes, cancellationToken);
                }

                kept++;
                incomplete += file.IsWhole ? 0 : 1;
            }

            // Not cancelled: the next check would write the same dead letters again.
            await OnThreadAsync(
                () =>
                {
                    file.Delete();
                    return true;
                },
                CancellationToken.None);
        }

        return (kept, incomplete);
    }

    private static bool IsBundle(UnfinishedFile file) =>
        BundleContent.IsBundle(file.Bytes.Span) && (!file.IsWhole || BundleLines.AreIntact(file.OpenRead(), DeadLetterFiles.MaxBodyBytes));

    /// <summary>
    /// Writes a dead letter for each message of a bundle, and one with the bytes of a bundle that is cut off. Not cancelled, since the next
    /// start would begin again with the first message.
    /// </summary>
    private async Task KeepBundleAsync(UnfinishedFile file, DeadLetter letter)
    {
        DeadLetter message = letter with
        {
            Description = "A worker ended while it stored a bundle with this message. The bundle may have been stored, or the message redelivered, since; a "
                + "redrive then stores the message once more.",
            IsPart = false,
        };
        BundleLines lines = new(file.OpenRead(), DeadLetterFiles.MaxBodyBytes);
        await Parallel.ForEachAsync(lines.Read().Index(), Writes, async (line, _) =>
            await store.WriteAsync(message with { SourceId = $"{letter.SourceId}-{line.Index + 1}" }, line.Item, CancellationToken.None));
        if (!file.IsWhole)
        {
            DeadLetter rest = letter with
            {
                Description =
                "A worker ended while it stored this bundle, and only its beginning was written. The messages in it are dead letters of their own."
            };
            await store.WriteAsync(rest, file.Bytes, CancellationToken.None);
        }
    }

    // One file that cannot be read, put there by accident or on purpose, must not keep the worker from starting.
    private UnfinishedFile? TryOpen(string path)
    {
        try
        {
            return folder.TryOpenUnfinished(path, DeadLetterFiles.MaxBodyBytes);
        }
        catch (Exception exception) when (exception is OutOfMemoryException || FileFaults.IsFileFault(exception))
        {
            LogSkipped(UntrustedText.Shorten(Path.GetFileName(path)), folder.Root, UntrustedText.Shorten(exception.Message.TrimEnd('.')));
            return null;
        }
    }

    private DeadLetter Describe(UnfinishedFile file, string source, string route) => new()
    {
        SourceId = FileName.Hash(file.Bytes.Span),
        Source = source,
        Route = route,
        Reason = Reason,
        Description = file.IsWhole
            ? "A worker ended while it stored this message. The message may have been stored or redelivered since; a redrive then finds the same object."
            : "A worker ended while it stored this message, and only its beginning was written.",
        Attempts = 0,
        FirstSeen = file.WrittenAt,
        LastSeen = time.GetUtcNow(),
        IsPart = !file.IsWhole,
    };

    // The disk may hang, so this never runs on a thread of the pool.
    private Task<T> OnThreadAsync<T>(Func<T> call, CancellationToken cancellationToken) =>
        new FileCalls<Func<T>, T>(threads, static call => call(), kept: 1).RunAsync(call, cancellationToken).AsTask().WaitAsync(cancellationToken);

    [LoggerMessage(
        5101, LogLevel.Warning,
        "The unfinished file {Name} in {Folder} cannot be read and was left in place ({Problem}). If it holds a message, "
            + "make it readable and restart the worker; otherwise delete it")]
    private partial void LogSkipped(string name, string folder, string problem);
}
