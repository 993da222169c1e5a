using Microsoft.Win32.SafeHandles;
using Quayside.Messaging.Storage;

namespace Messaging.Tests.Storage;

/// <summary>
/// The operating system's files, which records what is synced, flushed and created; the first sync may fail, and something may happen after a flush, or before
/// a name or a deletion.
/// </summary>
internal sealed class SyncedFolders(int errno = 0) : IFileHost
{
    private readonly SystemFileHost _system = SystemFileHost.Instance;

    public List<string> Synced { get; } = [];

    public List<string> Created { get; } = [];

    public int Flushed { get; private set; }

    public Action AfterFlush { get; set; } = () => { };

    public Action<string> BeforeName { get; set; } = _ => { };

    public Action<string> BeforeDelete { get; set; } = _ => { };

    public Action<string> BeforeMove { get; set; } = _ => { };

    public void SyncFolder(string path)
    {
        Synced.Add(path);
        if (errno != 0 && Synced.Count == 1)
        {
            throw PosixCalls.Failure("fsync", path, errno);
        }

        _system.SyncFolder(path);
    }

    public SafeFileHandle Create(string path)
    {
        Created.Add(Path.GetFileName(path));
        return _system.Create(path);
    }

    public void Write(SafeFileHandle file, ReadOnlySpan<byte> bytes, UnixFileMode mode) => _system.Write(file, bytes, mode);

    public void Flush(SafeFileHandle file)
    {
        _system.Flush(file);
        Flushed++;
        AfterFlush();
    }

    public SafeFileHandle Open(string path) => _system.Open(path);

    public SafeFileHandle? TryOpenLocked(string path) => _system.TryOpenLocked(path);

    public long LengthOf(SafeFileHandle file) => _system.LengthOf(file);

    public int Read(SafeFileHandle file, Span<byte> bytes, long offset) => _system.Read(file, bytes, offset);

    public byte[] ReadAll(SafeFileHandle file, string path, int maxBytes) => _system.ReadAll(file, path, maxBytes);

    public void Close(SafeFileHandle file) => _system.Close(file);

    public int Name(string temporary, string path)
    {
        BeforeName(path);
        return _system.Name(temporary, path);
    }

    public void Delete(string path)
    {
        BeforeDelete(path);
        _system.Delete(path);
    }

    public void Move(string path, string target)
    {
        BeforeMove(path);
        _system.Move(path, target);
    }

    public bool FileExists(string path) => _system.FileExists(path);

    public bool FolderExists(string path) => _system.FolderExists(path);

    public bool IsLink(string path) => _system.IsLink(path);

    public void CreateFolder(string path) => _system.CreateFolder(path);

    public IEnumerable<string> Find(string folder, string pattern) => _system.Find(folder, pattern);

    public DateTime LastWrittenAt(string path) => _system.LastWrittenAt(path);

    public void StartThread(Action run, string name) => _system.StartThread(run, name);

    public void Wait(object gate) => _system.Wait(gate);

    public void Pulse(object gate) => _system.Pulse(gate);

    public void PulseAll(object gate) => _system.PulseAll(gate);
}
