using System.IO.Enumeration;
using Microsoft.Win32.SafeHandles;
using Proof.Simulation;
using Quayside.Messaging.Storage;

namespace Proof.Models;

/// <summary>
/// A <see cref="DiskModel"/> and the threads that use it, of one process. A call takes time, now and then a long time, and may fail; while it lasts
/// other threads run, and the process may be killed.
/// </summary>
internal sealed class DiskMount(DiskModel disk, ProcessTime process, Defect defect) : IFileHost
{
    private const int InputOutputError = 5;
    private const int NoSpace = 28;

    private readonly List<SimulatedThread> _threads = [];
    private readonly Dictionary<object, Queue<SimulatedThread>> _waiting = [];
    private readonly Dictionary<nint, DiskFile> _open = [];

    // Unfinished files of this process, which it has to delete.
    private readonly HashSet<string> _unfinished = new(StringComparer.Ordinal);
    private nint _handles;

    private World World => disk.World;

    private FaultRates Faults => World.StoreFaults;

    /// <summary>The unfinished files that this process has left, but for those that it could not delete.</summary>
    public IEnumerable<string> Leftovers => _unfinished.Where(disk.Names.ContainsKey);

    /// <summary>Ends all threads where they are, and releases the locks.</summary>
    public void End()
    {
        process.IsAlive = false;
        foreach (SimulatedThread thread in _threads)
        {
            thread.End();
        }

        _threads.Clear();
        foreach (DiskFile file in _open.Values)
        {
            file.Handles--;
        }

        _open.Clear();
        _unfinished.Clear();
    }

    public SafeFileHandle Create(string path)
    {
        Call("create", path);
        if (!disk.Names.ContainsKey(DiskModel.FolderOf(path)))
        {
            throw new DirectoryNotFoundException($"'{path}' has no folder.");
        }

        _unfinished.Add(path);
        return Opened(disk.Add(path, isFolder: false, process));
    }

    public void Write(SafeFileHandle file, ReadOnlySpan<byte> bytes, UnixFileMode mode)
    {
        DiskFile target = FileOf(file);
        byte[] content = bytes.ToArray();
        target.WrittenAt = process.GetUtcNow().UtcDateTime;
        target.Content = content[..World.Random.Next(content.Length + 1)];
        Call("write", $"#{target.Number}");
        CheckSpace();
        target.Content = content;
    }

    public void Flush(SafeFileHandle file)
    {
        DiskFile target = FileOf(file);
        byte[] content = target.Content;
        try
        {
            Call("flush", $"#{target.Number}");
        }
        catch (IOException)
        {
            target.IsDropped = true;
            throw;
        }

        if (!target.IsDropped && defect != Defect.SkipFileSync)
        {
            target.Flushed = content;
        }
    }

    public SafeFileHandle Open(string path)
    {
        Call("open", path);
        World.Meets(Fault.FolderHasObject);
        return Opened(Find(path));
    }

    public SafeFileHandle? TryOpenLocked(string path)
    {
        Call("lock", path);
        DiskFile file = Find(path);
        if (defect == Defect.DeleteUnfinished)
        {
            Delete(path);
            return null;
        }

        return file.Handles > 0 ? null : Opened(file);
    }

    public long LengthOf(SafeFileHandle file) => FileOf(file).Content.Length;

    public int Read(SafeFileHandle file, Span<byte> bytes, long offset)
    {
        DiskFile source = FileOf(file);
        Call("read", $"#{source.Number}");
        ReadOnlySpan<byte> rest = source.Content.AsSpan((int)offset);
        rest[..Math.Min(rest.Length, bytes.Length)].CopyTo(bytes);
        return Math.Min(rest.Length, bytes.Length);
    }

    public byte[] ReadAll(SafeFileHandle file, string path, int maxBytes)
    {
        Call("read", path);
        return FileOf(file).Content;
    }

    public void Close(SafeFileHandle file)
    {
        if (_open.Remove(file.DangerousGetHandle(), out DiskFile? closed))
        {
            closed.Handles--;
        }
    }

    public int Name(string temporary, string path)
    {
        Call("name", path);
        if (!disk.Names.TryGetValue(temporary, out DiskFile? file) || !disk.Names.ContainsKey(DiskModel.FolderOf(path)))
        {
            return PosixCalls.Enoent;
        }

        if (disk.Names.ContainsKey(path) && defect != Defect.NameOverObject)
        {
            return PosixCalls.Eexist;
        }

        CheckSpace();
        disk.Link(file, path);
        if (path.EndsWith(".json", StringComparison.Ordinal) && !disk.IsKept($"{path[..^".json".Length]}.body"))
        {
            World.Fail($"the record {path} has its name, and its body is not on the disk");
        }

        return 0;
    }

    public void Move(string path, string target)
    {
        if (Name(path, target) != 0)
        {
            throw new IOException($"'{target}' exists.");
        }

        Delete(path);
    }

    public void Delete(string path)
    {
        if (defect == Defect.LeaveUnfinished && _unfinished.Contains(path))
        {
            return;
        }

        try
        {
            Call("delete", path);
        }
        catch (IOException)
        {
            // A later start deletes it.
            _unfinished.Remove(path);
            throw;
        }

        if (disk.Names.TryGetValue(path, out DiskFile? file)
            && file.Creator != process
            && Path.GetFileName(path).StartsWith("m-", StringComparison.Ordinal)
            && !disk.IsRecovered(file))
        {
            World.Fail($"the unfinished file #{file.Number} was deleted, and its {file.Content.Length} bytes are no dead letter");
        }

        disk.Remove(path);
    }

    public bool FileExists(string path) => disk.Names.TryGetValue(path, out DiskFile? file) && !file.IsFolder;

    public bool FolderExists(string path) => path.Length == 1 || (disk.Names.TryGetValue(path, out DiskFile? file) && file.IsFolder);

    public bool IsLink(string path) => false;

    public void CreateFolder(string path)
    {
        Call("create folder", path);
        if (!FolderExists(path))
        {
            CheckSpace();
            disk.Add(path, isFolder: true, process);
        }
    }

    public void SyncFolder(string path)
    {
        Action end = disk.BeginSync(path);
        Call("sync folder", path);
        if (defect != Defect.SkipFolderSync)
        {
            end();
        }
    }

    public IEnumerable<string> Find(string folder, string pattern)
    {
        Call("list", folder);
        return FolderExists(folder)
            ? [.. disk.NamesIn(folder).Keys.Where(path => FileSystemName.MatchesSimpleExpression(pattern, Path.GetFileName(path)))]
            : throw new DirectoryNotFoundException($"'{folder}' does not exist.");
    }

    public DateTime LastWrittenAt(string path) => Find(path).WrittenAt;

    public void StartThread(Action run, string name) => Soon(() =>
    {
        SimulatedThread thread = SimulatedThread.Create(() => Run(run));
        _threads.Add(thread);
        Resume(thread);
    });

    public void Wait(object gate)
    {
        SimulatedThread thread = SimulatedThread.Current!;
        if (!_waiting.TryGetValue(gate, out Queue<SimulatedThread>? waiting))
        {
            _waiting.Add(gate, waiting = []);
        }

        waiting.Enqueue(thread);
        Monitor.Exit(gate);
        try
        {
            thread.Pause();
        }
        finally
        {
            Monitor.Enter(gate);
        }
    }

    public void Pulse(object gate)
    {
        if (_waiting.TryGetValue(gate, out Queue<SimulatedThread>? waiting) && waiting.TryDequeue(out SimulatedThread? thread))
        {
            Soon(() => Resume(thread));
        }
    }

    public void PulseAll(object gate)
    {
        for (int left = _waiting.GetValueOrDefault(gate)?.Count ?? 0; left > 0; left--)
        {
            Pulse(gate);
        }
    }

    private void Run(Action run)
    {
        try
        {
            run();
        }
        catch (Exception exception) when (exception is not ThreadInterruptedException)
        {
            World.Fail($"a thread of the worker failed: {exception}");
        }
    }

    private void Resume(SimulatedThread thread)
    {
        if (!thread.TryResume())
        {
            _threads.Remove(thread);
        }
    }

    private void Soon(Action action) => After(TimeSpan.FromMicroseconds(World.Random.Next(500)), action);

    private void After(TimeSpan time, Action action) => World.Time.Schedule(time, () =>
    {
        if (process.IsAlive)
        {
            action();
        }
    });

    /// <summary>The time that a call takes, and its failure.</summary>
    private void Call(string what, string path)
    {
        if (!process.IsAlive)
        {
            throw new ThreadInterruptedException();
        }

        if (SimulatedThread.Current is not { } thread)
        {
            World.Fail($"{what} was called on a thread of the pool");
            throw new ThreadInterruptedException();
        }

        // Many calls per object: most of them are quick and work.
        Random random = World.Random;
        string shown = DiskModel.IsTemporary(path) ? $"#{disk.Names.GetValueOrDefault(path)?.Number}" : path;
        double fate = random.NextDouble() * 6;
        if (fate < Faults.Stall)
        {
            World.Meets(Fault.FolderHangs);
            World.Trace($"disk {what} hangs", shown);
            Pause(thread, random.Next(1_000, 60_000));
        }
        else if (fate < Faults.Stall + Faults.Slow)
        {
            World.Meets(Fault.FolderIsSlow);
            Pause(thread, random.Next(100, 15_000));
        }
        else if (random.Next(3) == 0)
        {
            Pause(thread, random.NextDouble() * 5);
        }

        World.Trace($"disk {what}", shown);
        if (random.NextDouble() * 6 < Faults.Error)
        {
            World.Meets(Fault.FolderFails);
            World.Trace($"disk {what} fails", shown);
            throw new IOException("Input/output error", InputOutputError);
        }
    }

    private void Pause(SimulatedThread thread, double milliseconds)
    {
        After(TimeSpan.FromMilliseconds(milliseconds), () => Resume(thread));
        thread.Pause();
    }

    private void CheckSpace()
    {
        if (disk.IsFull)
        {
            World.Meets(Fault.FolderIsFull);
            throw new IOException("No space left on device", NoSpace);
        }
    }

    private DiskFile Find(string path) =>
        disk.Names.TryGetValue(path, out DiskFile? file) ? file : throw new FileNotFoundException($"'{path}' does not exist.", path);

    private DiskFile FileOf(SafeFileHandle file) =>
        _open.TryGetValue(file.DangerousGetHandle(), out DiskFile? open) ? open : throw new ThreadInterruptedException();

    private SafeFileHandle Opened(DiskFile file)
    {
        file.Handles++;
        _open.Add(++_handles, file);
        return new SafeFileHandle(_handles, ownsHandle: false);
    }
}
