using System.Text;
using System.Text.Json;
using Proof.Simulation;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Sinks.Bundles;

namespace Proof.Models;

/// <summary>
/// The disk of the machine: what its processes see, and what a power cut leaves. Content lasts once its file is flushed, a name once its folder
/// is. Outlives every process.
/// </summary>
internal sealed class DiskModel(World world)
{
    public const string Objects = "/objects";
    public const string Letters = "/letters";

    private readonly List<DiskMount> _mounts = [];
    private readonly Dictionary<DiskFile, (DeadLetter? Letter, string[] Lines)> _read = [];

    // By path. What changes between the two is lost or kept by a power cut.
    private Dictionary<string, DiskFile> _names = new(StringComparer.Ordinal);
    private readonly Dictionary<string, DiskFile> _durable = new(StringComparer.Ordinal);
    private readonly Dictionary<string, int> _synced = new(StringComparer.Ordinal);
    private int _files;
    private int _syncs;

    public World World => world;

    /// <summary>True while nothing can be written.</summary>
    public bool IsFull { get; set; }

    public IReadOnlyDictionary<string, DiskFile> Names => _names;

    /// <summary>The disk as one process sees it.</summary>
    public DiskMount Mount(ProcessTime process, Defect defect)
    {
        DiskMount mount = new(this, process, defect);
        _mounts.Add(mount);
        return mount;
    }

    public DiskFile Add(string path, bool isFolder, object? creator)
    {
        DiskFile file = new(++_files, isFolder, creator);
        _names.Add(path, file);
        return file;
    }

    public void Link(DiskFile file, string path) => _names[path] = file;

    public void Remove(string path) => _names.Remove(path);

    /// <summary>The names in a folder.</summary>
    public Dictionary<string, DiskFile> NamesIn(string folder) => _names.Where(name => FolderOf(name.Key) == folder).ToDictionary(StringComparer.Ordinal);

    /// <summary>A sync of a folder: what it was when the sync begins is durable once the returned action has run.</summary>
    public Action BeginSync(string folder)
    {
        Dictionary<string, DiskFile> names = NamesIn(folder);
        int number = ++_syncs;
        return () =>
        {
            if (_synced.GetValueOrDefault(folder) > number)
            {
                // By one that began later.
                return;
            }

            _synced[folder] = number;
            foreach (string path in _durable.Keys.Where(path => FolderOf(path) == folder && !names.ContainsKey(path)).ToArray())
            {
                _durable.Remove(path);
            }

            foreach ((string path, DiskFile file) in names)
            {
                _durable[path] = file;
            }
        };
    }

    private void Keep(string path)
    {
        if (_names.TryGetValue(path, out DiskFile? file))
        {
            _durable[path] = file;
        }
        else
        {
            _durable.Remove(path);
        }
    }

    /// <summary>
    /// Ends every process and loses what is not durable: each change of a name happens or not, and each file that was not flushed is cut short.
    /// </summary>
    public void CutPower()
    {
        EndProcesses();
        Random random = world.Random;
        foreach (string path in _names.Keys.Union(_durable.Keys).Where(path => _names.GetValueOrDefault(path) != _durable.GetValueOrDefault(path)).ToArray())
        {
            if (random.Next(2) == 0)
            {
                Keep(path);
            }
        }

        _names = _durable.Where(name => IsDurable(name.Key)).ToDictionary(StringComparer.Ordinal);
        foreach (DiskFile file in _names.Values.Distinct().Where(file => !file.IsFolder))
        {
            file.Content = file.Flushed ?? file.Content[..random.Next(file.Content.Length + 1)];
            file.Flushed = file.Content;
            file.IsDropped = false;
            file.Handles = 0;
        }

        foreach (string path in _durable.Keys.Except(_names.Keys).ToArray())
        {
            _durable.Remove(path);
        }
    }

    public void EndProcesses()
    {
        _mounts.ForEach(mount => mount.End());
        _mounts.Clear();
    }

    // What the checks ask

    /// <summary>True when a power cut would leave the file, with all its bytes.</summary>
    public bool IsKept(string path) => Find(path) is not null;

    /// <summary>An unfinished file of a process that has ended in order; null without one.</summary>
    public string? FindLeftover() => _mounts.SelectMany(mount => mount.Leftovers).FirstOrDefault();

    /// <summary>True when a power cut would leave the object, or a bundle with it.</summary>
    public bool Holds(string key, byte[] body)
    {
        string line = Encoding.UTF8.GetString(body);
        return (Find($"{Objects}/{key}") is { } bytes && bytes.AsSpan().SequenceEqual(body))
            || _durable.Any(name => StoreModel.IsBundle(name.Key) && Find(name.Key) is { } bundle && Read(name.Value, bundle).Lines.Contains(line));
    }

    /// <summary>What the objects hold that a process sees: the body of each, and for a bundle each of its lines.</summary>
    public IEnumerable<(string Key, string Body)> Contents() => _names
        .Where(name => !name.Value.IsFolder && name.Key.StartsWith($"{Objects}/", StringComparison.Ordinal) && !IsTemporary(name.Key))
        .SelectMany(name => StoreModel.IsBundle(name.Key)
            ? Gzip.ReadLines(name.Value.Content).Select(line => (string.Empty, line))
            : [(name.Key[(Objects.Length + 1)..], Encoding.UTF8.GetString(name.Value.Content))]);

    /// <summary>The dead letters that a power cut would leave: those with a record and a body.</summary>
    public IEnumerable<(DeadLetter Letter, byte[] Body)> DeadLetters()
    {
        foreach ((string path, DiskFile file) in _durable)
        {
            if (path.EndsWith(".json", StringComparison.Ordinal) && path.StartsWith($"{Letters}/", StringComparison.Ordinal)
                && Find(path) is { } record && Find($"{path[..^".json".Length]}.body") is { } body && Read(file, record).Letter is { } letter)
            {
                yield return (letter, body);
            }
        }
    }

    /// <summary>True when the bytes that an unfinished file holds, or the messages of its bundle, are dead letters.</summary>
    public bool IsRecovered(DiskFile file)
    {
        byte[][] kept = [.. DeadLetters().Select(letter => letter.Body)];
        bool Has(byte[] bytes) => Array.Exists(kept, body => body.AsSpan().SequenceEqual(bytes));
        return file.Content.Length == 0 || Has(file.Content)
            || (BundleContent.IsBundle(file.Content) && Gzip.ReadLines(file.Content).All(line => Has(Encoding.UTF8.GetBytes(line))));
    }

    public static bool IsTemporary(string path) => path.Contains("/.tmp/", StringComparison.Ordinal);

    public static string FolderOf(string path) => path[..Math.Max(path.LastIndexOf('/'), 1)];

    private bool IsDurable(string path) => path.Length == 1 || (_durable.ContainsKey(path) && IsDurable(FolderOf(path)));

    /// <summary>What a power cut would leave of a file; null when it may leave nothing or less.</summary>
    private byte[]? Find(string path) => IsDurable(path) ? _durable[path].Flushed : null;

    // What is flushed never changes.
    private (DeadLetter? Letter, string[] Lines) Read(DiskFile file, byte[] bytes)
    {
        if (!_read.TryGetValue(file, out (DeadLetter? Letter, string[] Lines) read))
        {
            read = BundleContent.IsBundle(bytes) ? (null, Gzip.ReadLines(bytes)) : (ParseLetter(bytes), []);
            _read.Add(file, read);
        }

        return read;
    }

    private static DeadLetter? ParseLetter(byte[] record)
    {
        try
        {
            return JsonSerializer.Deserialize(record, DeadLetterJson.Default.DeadLetter);
        }
        catch (JsonException)
        {
            return null;
        }
    }
}
