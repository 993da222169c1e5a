using System.IO.Enumeration;
using Quayside.Messaging.Storage;

namespace Quayside.Messaging.DeadLetters;

/// <summary>
/// Counts the records below a dead-letter folder. A folder of a day is listed again only when it has changed, so a count costs one look at each folder and
/// the listing of those in which dead letters were written or deleted. A count ends at its limit. Threads: one at a time.
/// </summary>
/// <param name="root">The folder of the store.</param>
/// <param name="time">The clock.</param>
/// <param name="limit">The maximum number of dead letters that are counted.</param>
internal sealed class DeadLetterCount(string root, TimeProvider time, int limit = DeadLetterCount.Limit)
{
    /// <summary>The maximum number of dead letters that a worker counts.</summary>
    public const int Limit = 100_000;

    // A change within the resolution of a file system's timestamps leaves the time of a folder as it was: 2 s at most (FAT).
    private static readonly TimeSpan Resolution = TimeSpan.FromSeconds(3);

    private Dictionary<string, Listing> _listings = new(StringComparer.Ordinal);

    /// <summary>Counts the dead letters.</summary>
    /// <param name="timeOf">The time of a dead letter, by its name; null where its record does not tell.</param>
    /// <exception cref="IOException">A folder cannot be listed.</exception>
    /// <exception cref="UnauthorizedAccessException">Likewise.</exception>
    public WaitingDeadLetters Count(Func<string, DateTimeOffset?> timeOf)
    {
        Dictionary<string, Listing> listings = new(StringComparer.Ordinal);
        Dictionary<string, long> byReason = new(StringComparer.Ordinal);
        List<Listing> oldest = [];
        List<Listing> newest = [];
        long total = 0;

        // The oldest day first, so that the oldest dead letter is among those that are counted.
        foreach (DirectoryInfo folder in Folders(root)
            .Where(folder => !folder.Name.StartsWith('.'))
            .SelectMany(reason => Folders(reason.FullName))
            .OrderBy(day => day.Name, StringComparer.Ordinal))
        {
            Listing listing = ListingOf(folder, limit + 1 - total);
            if (!listing.IsCut)
            {
                listings[folder.FullName] = listing;
            }

            if (listing.Count == 0)
            {
                continue;
            }

            string reason = folder.Parent!.Name;
            long counted = Math.Min(listing.Count, limit - total);
            byReason[reason] = byReason.GetValueOrDefault(reason) + counted;
            total += counted;
            if (oldest.Count == 0 || oldest[0].Day == listing.Day)
            {
                oldest.Add(listing);
            }

            if (newest.Count > 0 && newest[0].Day != listing.Day)
            {
                newest.Clear();
            }

            newest.Add(listing);
            if (counted < listing.Count)
            {
                return Result(isMore: true);
            }
        }

        return Result(isMore: false);

        WaitingDeadLetters Result(bool isMore)
        {
            _listings = listings;
            return new WaitingDeadLetters
            {
                Count = total,
                IsMore = isMore,
                OldestAt = oldest.Select(listing => listing.Ends(root, timeOf).Oldest).Min(),
                NewestAt = isMore ? null : newest.Select(listing => listing.Ends(root, timeOf).Newest).Max(),
                ByReason = byReason,
            };
        }
    }

    /// <summary>True for the record of a dead letter.</summary>
    public static bool IsRecord(ref FileSystemEntry entry) =>
        entry.FileName.EndsWith(DeadLetterFiles.RecordSuffix, StringComparison.Ordinal) && !entry.IsDirectory;

    private static IEnumerable<DirectoryInfo> Folders(string folder) =>
        Directory.Exists(folder) ? new DirectoryInfo(folder).GetDirectories().Where(found => found.LinkTarget is null) : [];

    private Listing ListingOf(DirectoryInfo folder, long most)
    {
        // Before the listing: a change during it is then seen by the next count.
        DateTime changedAt = folder.LastWriteTimeUtc;
        if (_listings.TryGetValue(folder.FullName, out Listing? known) && known.ChangedAt == changedAt && known.ListedAt - changedAt > Resolution)
        {
            return known;
        }

        DateTime now = time.GetUtcNow().UtcDateTime;
        long count = 0;
        foreach (bool isRecord in new FileSystemEnumerable<bool>(folder.FullName, static (ref FileSystemEntry entry) => true)
        { ShouldIncludePredicate = IsRecord })
        {
            count++;
            if (count == most)
            {
                break;
            }
        }

        return new Listing(folder.FullName, folder.Name, changedAt, now, count, IsCut: count == most);
    }

    /// <summary>The records in the folder of a day.</summary>
    /// <param name="Folder">Its path.</param>
    /// <param name="Day">Its name.</param>
    /// <param name="ChangedAt">When it was last changed, by the file system.</param>
    /// <param name="ListedAt">When it was listed.</param>
    /// <param name="Count">How many records it has.</param>
    /// <param name="IsCut">True when the listing ended early.</param>
    private sealed record Listing(string Folder, string Day, DateTime ChangedAt, DateTime ListedAt, long Count, bool IsCut)
    {
        private (DateTimeOffset? Oldest, DateTimeOffset? Newest)? _ends;

        /// <summary>
        /// The times of the oldest and the newest record, found on the first call. The times of the files choose the two records, whose own times count.
        /// </summary>
        public (DateTimeOffset? Oldest, DateTimeOffset? Newest) Ends(string root, Func<string, DateTimeOffset?> timeOf) => _ends ??= Find(root, timeOf);

        private (DateTimeOffset? Oldest, DateTimeOffset? Newest) Find(string root, Func<string, DateTimeOffset?> timeOf)
        {
            (string Path, DateTimeOffset At)? oldest = null;
            (string Path, DateTimeOffset At)? newest = null;
            foreach ((string Path, DateTimeOffset At) record in new FileSystemEnumerable<(string Path, DateTimeOffset At)>(
                Folder, static (ref FileSystemEntry entry) => (entry.ToFullPath(), entry.LastWriteTimeUtc))
            { ShouldIncludePredicate = IsRecord }.Take((int)Count))
            {
                // A file that was deleted meanwhile, or whose name is not UTF-8, has no time.
                if (record.At < DateTimeOffset.UnixEpoch)
                {
                    continue;
                }

                oldest = oldest is { } first && first.At <= record.At ? oldest : record;
                newest = newest is { } last && last.At >= record.At ? newest : record;
            }

            return (TimeOf(oldest), TimeOf(newest));

            DateTimeOffset? TimeOf((string Path, DateTimeOffset At)? record) => record is not { } found ? null
                : timeOf(Path.GetRelativePath(root, found.Path)[..^DeadLetterFiles.RecordSuffix.Length].Replace('\\', '/')) ?? found.At;
        }
    }
}
