using System.Text.Json;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.DeadLetters;

namespace Quayside.Messaging.Storage;

/// <content>Dead letters that people discard, and bodies that a kill left without a record.</content>
internal sealed partial class DirectoryDeadLetterStore
{
    // A dot, so that no reason has this name.
    private const string DiscardedFolder = ".discarded/";

    private DateTime _tidiedAt;

    int IDeadLetterEditor.DiscardedDays => _discardedDays;

    string IDeadLetterReader.Location => Root;

    IEnumerable<string> IDeadLetterReader.EnumerateNames() => ((IDeadLetterReader)Letters).EnumerateNames();

    DeadLetter? IDeadLetterReader.ReadRecord(string name) => ((IDeadLetterReader)Letters).ReadRecord(name);

    byte[]? IDeadLetterReader.ReadBodyStart(string name, int maxBytes, out long length) =>
        ((IDeadLetterReader)Letters).ReadBodyStart(name, maxBytes, out length);

    /// <inheritdoc/>
    public bool Discard(string name)
    {
        // The body first: a crash between the two leaves a record whose body is at its new place already, and the next call moves the record. Not
        // flushed: after a power failure each file is at one of the two places.
        string record = Letters.PathOf(name + DeadLetterFiles.RecordSuffix);
        string body = Letters.PathOf(name + DeadLetterFiles.BodySuffix);
        try
        {
            if (!Letters.IsName(name) || !File.Exists(record))
            {
                return false;
            }

            // Its age among the discarded counts from now.
            File.SetLastWriteTimeUtc(record, _time.GetUtcNow().UtcDateTime);
            string target = _discarded.FreeName(name, hasBody: File.Exists(body));
            Directory.CreateDirectory(Path.GetDirectoryName(_discarded.PathOf(target))!);
            if (File.Exists(body))
            {
                _host.Move(body, _discarded.PathOf(target + DeadLetterFiles.BodySuffix));
            }

            _host.Move(record, _discarded.PathOf(target + DeadLetterFiles.RecordSuffix));
            return true;
        }
        catch (FileNotFoundException)
        {
            // Another process moved or deleted it meanwhile.
            return false;
        }
    }

    /// <summary>
    /// Gives a record to each body without one: a worker or a redrive was killed between the two files, of a write or a deletion. The
    /// message may exist elsewhere too, but the body may be the only copy.
    /// </summary>
    private void KeepBodies(DateTime now)
    {
        foreach (string name in Letters.WithoutRecord())
        {
            FileInfo body = new(Letters.PathOf(name + DeadLetterFiles.BodySuffix));
            if (!body.Exists || now - body.LastWriteTimeUtc < TimeSpan.FromMinutes(1))
            {
                // A young body may still get its own record, which tells more.
                continue;
            }

            DateTimeOffset written = new(body.LastWriteTimeUtc);
            DeadLetter letter = new()
            {
                Description = "A worker or a redrive was killed between the two files of this dead letter, and only its body was found. "
                    + "Its message may have been stored or sent since; a redrive then stores it once more.",
                SourceId = Path.GetFileNameWithoutExtension(body.Name),
                Source = "dead-letters",
                Route = string.Empty,
                Reason = DeadLetterFiles.ReasonOf(name),
                Attempts = 0,
                FirstSeen = written,
                LastSeen = written,
            };
            _folder.Place(name + DeadLetterFiles.RecordSuffix, JsonSerializer.SerializeToUtf8Bytes(letter, DeadLetterFiles.Records.DeadLetter));
            LogBodyKept(_logger, name);
        }
    }

    // A discarded body without a record stays: its record may still wait after a crash.
    private void TidyUp()
    {
        DateTime now = _time.GetUtcNow().UtcDateTime;
        if (now - _tidiedAt < TimeSpan.FromHours(1))
        {
            return;
        }

        _tidiedAt = now;
        KeepBodies(now);
        int deleted = 0;
        foreach (string name in _discarded.List())
        {
            string record = _discarded.PathOf(name + DeadLetterFiles.RecordSuffix);
            if (now - File.GetLastWriteTimeUtc(record) > TimeSpan.FromDays(_discardedDays))
            {
                // The record last: a crash between the two leaves it to the next call.
                _host.Delete(_discarded.PathOf(name + DeadLetterFiles.BodySuffix));
                _host.Delete(record);
                deleted++;
            }
        }

        if (deleted > 0)
        {
            LogExpired(_logger, deleted, _discardedDays);
        }
    }

    [LoggerMessage(5105, LogLevel.Warning,
        "The dead letter {Name} had a body without a record, as a kill between its two files leaves it; it has a record now. "
        + "Look at it, then redrive or delete it")]
    private static partial void LogBodyKept(ILogger logger, string name);

    [LoggerMessage(5103, LogLevel.Information,
        "{Count} dead letter(s) that were discarded more than {Days} day(s) ago were deleted (DeadLetters:DiscardedDays)")]
    private static partial void LogExpired(ILogger logger, int count, int days);
}
