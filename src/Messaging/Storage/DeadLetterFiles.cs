using System.Globalization;
using System.IO.Enumeration;
using System.Text.Json;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Storage;

/// <summary>
/// Lists, reads and deletes the dead letters below one folder: those that wait, or those that were discarded. Threads: any.
/// </summary>
/// <param name="folder">The store's folder.</param>
/// <param name="prefix">The path of the dead letters below it: empty, or a folder with a trailing slash.</param>
internal sealed class DeadLetterFiles(DurableFolder folder, string prefix = "") : IDeadLetterReader
{
    public const string BodySuffix = ".body";
    public const string RecordSuffix = ".json";

    // Indented, because people read these files.
    public static readonly DeadLetterJson Records = new(new JsonSerializerOptions(JsonSerializerDefaults.Web) { WriteIndented = true });

    /// <summary>The longest body that is read, in bytes: what the largest setting of a source allows.</summary>
    public const int MaxBodyBytes = 256 << 20;

    // A record is the message's attributes and a few lines.
    private const int MaxRecordBytes = 16 << 20;

    /// <summary>
    /// The names of the current dead letters, for <see cref="Find"/>. A copy: dead letters may be deleted and written while the caller
    /// processes it. Oldest day first within each reason.
    /// </summary>
    /// <exception cref="IOException">A folder cannot be listed.</exception>
    /// <exception cref="UnauthorizedAccessException">Likewise.</exception>
    public IReadOnlyList<string> List()
    {
        List<string> names = [];
        foreach (string reason in Sorted(Root))
        {
            foreach (string day in Sorted(reason))
            {
                names.AddRange(Directory.GetFiles(day, $"*{RecordSuffix}").Order(StringComparer.Ordinal)
                    .Select(NameOf));
            }
        }

        return names;
    }

    /// <summary>The names of the bodies that have no record.</summary>
    /// <inheritdoc cref="List"/>
    public IEnumerable<string> WithoutRecord() => Sorted(Root).SelectMany(Sorted).SelectMany(static day => Directory.EnumerateFiles(day, $"*{BodySuffix}"))
        .Select(body => NameOf(Path.ChangeExtension(body, RecordSuffix))).Where(name => !File.Exists(PathOf(name + RecordSuffix)));

    /// <summary>The folder's absolute path.</summary>
    public string Root { get; } = Path.TrimEndingDirectorySeparator(folder.PathOf(prefix));

    /// <summary>The absolute path of a file.</summary>
    /// <param name="name">A dead letter's name with a suffix.</param>
    public string PathOf(string name) => folder.PathOf(prefix + name);

    /// <summary>A name under which nothing is kept: the given one, or with <c>-2</c> or the next number.</summary>
    /// <param name="name">A dead letter's name.</param>
    /// <param name="hasBody">False when only its record is still to come, so that the body may be there.</param>
    public string FreeName(string name, bool hasBody)
    {
        string free = name;
        for (int copy = 2; File.Exists(PathOf(free + RecordSuffix)) || (hasBody && File.Exists(PathOf(free + BodySuffix))); copy++)
        {
            free = string.Create(CultureInfo.InvariantCulture, $"{name}-{copy}");
        }

        return free;
    }

    /// <summary>The reason folder of a name from <see cref="List"/>: the reason itself where that is a usual code.</summary>
    public static string ReasonOf(string name) => name[..name.IndexOf('/')];

    /// <summary>A dead letter by its name.</summary>
    /// <returns>Null when it was deleted after it was listed.</returns>
    /// <exception cref="IOException">Its record cannot be read, or is damaged.</exception>
    /// <exception cref="UnauthorizedAccessException">Access to its record was refused.</exception>
    public StoredDeadLetter? Find(string name)
    {
        string path = PathOf(name + RecordSuffix);
        try
        {
            DeadLetter? letter = JsonSerializer.Deserialize(RegularFile.ReadAll(path, MaxRecordBytes), Records.DeadLetter);
            return FindDamage(letter) is { } damage
                ? throw new IOException($"The record '{path}' is damaged: {damage} Correct it, or delete it and the .body file.")
                : new StoredDeadLetter(name, letter!);
        }
        catch (FileNotFoundException)
        {
            return null;
        }
        catch (JsonException exception)
        {
            throw new IOException($"The record '{path}' is damaged: {UntrustedText.Shorten(exception.Message)}", exception);
        }
    }

    /// <summary>The body of a dead letter.</summary>
    /// <returns>Null when the dead letter was deleted after it was listed.</returns>
    /// <exception cref="FileNotFoundException">The record exists, but the body does not.</exception>
    /// <exception cref="IOException">It cannot be read, or is not a regular file.</exception>
    /// <exception cref="UnauthorizedAccessException">Access was refused.</exception>
    public byte[]? ReadBody(StoredDeadLetter letter)
    {
        try
        {
            return RegularFile.ReadAll(PathOf(letter.Name + BodySuffix), MaxBodyBytes);
        }
        catch (FileNotFoundException) when (!File.Exists(PathOf(letter.Name + RecordSuffix)))
        {
            return null;
        }
    }

    /// <summary>The beginning of the body of a dead letter.</summary>
    /// <inheritdoc cref="ReadBody"/>
    /// <param name="letter">The dead letter.</param>
    /// <param name="maxBytes">The maximum number of bytes to read.</param>
    /// <param name="length">The length of the whole body in bytes.</param>
    public byte[]? ReadBodyStart(StoredDeadLetter letter, int maxBytes, out long length)
    {
        length = 0;
        try
        {
            return RegularFile.ReadStart(PathOf(letter.Name + BodySuffix), maxBytes, out length);
        }
        catch (FileNotFoundException) when (!File.Exists(PathOf(letter.Name + RecordSuffix)))
        {
            return null;
        }
    }

    /// <summary>Deletes a dead letter whose message was accepted. Safe to repeat.</summary>
    /// <remarks>
    /// Deletes the record first: a crash in between leaves a body without a record, which is found within the hour, never a record without a body.
    /// </remarks>
    /// <param name="letter">The dead letter.</param>
    /// <param name="accepted">The bytes that were accepted.</param>
    /// <returns>False when its body is another one by now: it then stays.</returns>
    /// <exception cref="IOException">It cannot be deleted.</exception>
    /// <exception cref="UnauthorizedAccessException">Likewise.</exception>
    public bool Delete(StoredDeadLetter letter, ReadOnlySpan<byte> accepted)
    {
        if (ReadBody(letter) is { } body && !body.AsSpan().SequenceEqual(accepted))
        {
            return false;
        }

        folder.Delete(prefix + letter.Name + RecordSuffix);
        folder.Delete(prefix + letter.Name + BodySuffix);
        if (File.Exists(PathOf(letter.Name + RecordSuffix)))
        {
            // The same message became a dead letter again meanwhile, and found this body.
            folder.Place(prefix + letter.Name + BodySuffix, accepted);
        }

        return true;
    }

    /// <summary>When a dead letter was written, by its record.</summary>
    /// <returns>Null when it was deleted meanwhile, or its record is damaged.</returns>
    public DateTimeOffset? TimeOf(string name)
    {
        try
        {
            return Find(name)?.Letter.LastSeen;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    string IDeadLetterReader.Location => Root;

    IEnumerable<string> IDeadLetterReader.EnumerateNames() => Sorted(Root)
        .SelectMany(Sorted)
        .GroupBy(Path.GetFileName, StringComparer.Ordinal)
        .OrderByDescending(day => day.Key, StringComparer.Ordinal)
        .SelectMany(day => NewestFirst([.. day]));

    // Without an object per file: a day may have a hundred thousand.
    private IEnumerable<string> NewestFirst(string[] days)
    {
        List<(long WrittenAt, string File, string Folder)> records = [];
        foreach (string day in days)
        {
            string below = $"{Path.GetRelativePath(Root, day).Replace('\\', '/')}/";
            records.AddRange(new FileSystemEnumerable<(long, string, string)>(
                day, (ref FileSystemEntry entry) => (entry.LastWriteTimeUtc.Ticks, entry.FileName[..^RecordSuffix.Length].ToString(), below))
            { ShouldIncludePredicate = DeadLetterCount.IsRecord });
        }

        records.Sort(
            static (left, right) => left.WrittenAt != right.WrittenAt
                ? right.WrittenAt.CompareTo(left.WrittenAt)
                : string.CompareOrdinal(left.File, right.File));
        return records.Select(static record => record.Folder + record.File);
    }

    DeadLetter? IDeadLetterReader.ReadRecord(string name) => IsName(name) ? Find(name)?.Letter : null;

    byte[]? IDeadLetterReader.ReadBodyStart(string name, int maxBytes, out long length)
    {
        length = 0;
        try
        {
            return IsName(name) ? RegularFile.ReadStart(PathOf(name + BodySuffix), maxBytes, out length) : null;
        }
        catch (FileNotFoundException)
        {
            return null;
        }
    }

    // Reason, day and id, of the characters that this class writes, so that no name leads out of the folder.
    public bool IsName(string name)
    {
        string[] parts = name.Split('/');
        return name.Length <= FileName.MaxBytes * 2
            && parts.Length == 3
            && Array.TrueForAll(
                parts, static part => part.Replace('~', '_') is { Length: > 0 and <= FileName.MaxBytes } safe && FileName.Sanitize(safe, safe.Length) == safe)
                && parts[2].Length + RecordSuffix.Length <= FileName.MaxBytes
                && !IsLink(parts[0]) && !IsLink($"{parts[0]}/{parts[1]}");
    }

    // A linked folder leads out of the store's folder, and a redrive would delete there.
    private bool IsLink(string name) => new DirectoryInfo(PathOf(name)).LinkTarget is not null;

    /// <summary>The name of a dead letter.</summary>
    /// <param name="recordPath">The path of its record.</param>
    public string NameOf(string recordPath) => Path.GetRelativePath(Root, recordPath)[..^RecordSuffix.Length].Replace('\\', '/');

    // Finds what the JSON may hold but no worker writes: null, and a route name that is not allowed.
    private static string? FindDamage(DeadLetter? letter)
    {
        if (letter is null)
        {
            return "it is empty.";
        }

        (string Name, string? Value)[] texts =
            [("sourceId", letter.SourceId), ("source", letter.Source), ("route", letter.Route), ("reason", letter.Reason), ("description", letter.Description)];
        if (Array.Find(texts, text => text.Value is null) is { Name: { } name })
        {
            return $"\"{name}\" is null and must be a string.";
        }

        // Unfinished files that the worker found at start have an empty route.
        return letter.Route.Length == 0 || NamedRoute.IsName(letter.Route)
            ? null
            : $"\"route\" is \"{UntrustedText.Shorten(letter.Route)}\" and must be the name of a route ({NamedRoute.AllowedName}).";
    }

    // Neither links nor what the store keeps for itself, whose names begin with a dot.
    private static IEnumerable<string> Sorted(string path) => Directory.Exists(path)
        ? new DirectoryInfo(path)
            .GetDirectories()
            .Where(found => found.LinkTarget is null && !found.Name.StartsWith('.'))
            .Select(found => found.FullName)
            .Order(StringComparer.Ordinal)
        : [];
}
