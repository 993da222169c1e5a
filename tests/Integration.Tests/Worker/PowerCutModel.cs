using System.Text.RegularExpressions;

namespace Integration.Tests.Worker;

/// <summary>
/// What a power cut would leave of the files of a process: replays its system calls, as <c>strace -f -y</c> wrote them. A file's bytes are
/// on the disk after an fsync of the file that began after they were written, and a name after one of its folder that began after the name
/// was given. Files and folders from before the trace count as on the disk.
/// </summary>
internal sealed partial class PowerCutModel
{
    private readonly Dictionary<string, Content> _files = new(StringComparer.Ordinal);

    // Names of files and folders that a power cut would take away.
    private readonly HashSet<string> _unsafeNames = new(StringComparer.Ordinal);
    private readonly Dictionary<string, string> _unfinished = new(StringComparer.Ordinal);

    // What an fsync that is running covers, by thread.
    private readonly Dictionary<string, (Content? Content, int Writes, string[] Names)> _syncs = new(StringComparer.Ordinal);

    /// <summary>Files that got their name before their bytes were on the disk.</summary>
    public List<string> NamedTooEarly { get; } = [];

    /// <summary>Replays the next line.</summary>
    /// <returns>The id of the message that it answers with the status 200 or 422; <see langword="null"/> when it does not.</returns>
    public string? Read(string line)
    {
        Match match = Line.Match(line);
        string thread = match.Groups["thread"].Value;
        string call = match.Groups["call"].Value;
        if (Resumed.Match(call) is { Success: true } resumed)
        {
            _unfinished.Remove(thread, out string? begun);
            return End(thread, begun + call[resumed.Length..]);
        }

        Begin(thread, call);
        if (call.EndsWith(" <unfinished ...>", StringComparison.Ordinal))
        {
            _unfinished[thread] = call[..^" <unfinished ...>".Length];
            return null;
        }

        return End(thread, call);
    }

    /// <summary>What a power cut would take away of the files whose names contain a text, now.</summary>
    /// <returns>Empty when all of them would be there, and there is at least one.</returns>
    public IReadOnlyList<string> WouldLose(string name)
    {
        string[] paths = [.. _files.Keys.Where(path => Path.GetFileName(path).Contains(name, StringComparison.Ordinal))];
        return paths.Length == 0 ? [$"there is no file {name}"] : [.. paths.Where(path => !_files[path].IsSafe || Self(path).Any(_unsafeNames.Contains))];
    }

    private void Begin(string thread, string call)
    {
        switch (NameOf(call))
        {
            case "fsync" or "fdatasync":
                string path = Opened.Match(call).Groups["path"].Value;
                Content? content = _files.GetValueOrDefault(path);
                _syncs[thread] = (content, content?.Writes ?? 0, [.. _unsafeNames.Where(name => Path.GetDirectoryName(name) == path)]);
                break;
            case "link" or "linkat":
                if (_files.TryGetValue(Quoted.Match(call).Groups["path"].Value, out Content? named) && !named.IsSafe)
                {
                    NamedTooEarly.Add(call);
                }

                break;
        }
    }

    private string? End(string thread, string call)
    {
        if (Failed.IsMatch(call))
        {
            return null;
        }

        string[] paths = [.. Quoted.Matches(call).Select(match => match.Groups["path"].Value)];
        switch (NameOf(call))
        {
            case "openat" when call.Contains("O_CREAT", StringComparison.Ordinal):
                _files[paths[0]] = new Content();
                break;
            case "pwrite64" when _files.TryGetValue(Opened.Match(call).Groups["path"].Value, out Content? written):
                written.Writes++;
                break;
            case "fsync" or "fdatasync" when _syncs.Remove(thread, out (Content? Content, int Writes, string[] Names) sync):
                sync.Content?.Safe(sync.Writes);
                _unsafeNames.ExceptWith(sync.Names);
                break;
            case "link" or "linkat":
                _files[paths[1]] = _files[paths[0]];
                _unsafeNames.Add(paths[1]);
                break;
            case "mkdir" or "mkdirat":
                _unsafeNames.Add(paths[0]);
                break;
            case "unlink" or "unlinkat":
                _files.Remove(paths[0]);
                _unsafeNames.Remove(paths[0]);
                break;
            case "sendto" or "sendmsg" when Answer.Match(call) is { Success: true } answer:
                return answer.Groups["id"].Value;
        }

        return null;
    }

    private static string NameOf(string call) => call[..Math.Max(0, call.IndexOf('('))];

    /// <summary>A path and the folders above it.</summary>
    private static IEnumerable<string> Self(string path)
    {
        for (string? at = path; at is not null; at = Path.GetDirectoryName(at))
        {
            yield return at;
        }
    }

    [GeneratedRegex(@"^(?<thread>\d+) +(?<call>.*)$", RegexOptions.ExplicitCapture)]
    private static partial Regex Line { get; }

    [GeneratedRegex("^<[.]{3} [a-z0-9]+ resumed>", RegexOptions.ExplicitCapture)]
    private static partial Regex Resumed { get; }

    [GeneratedRegex(@"^[a-z0-9]+\(\d+<(?<path>[^>]*)>", RegexOptions.ExplicitCapture)]
    private static partial Regex Opened { get; }

    [GeneratedRegex("\"(?<path>[^\"]*)\"", RegexOptions.ExplicitCapture)]
    private static partial Regex Quoted { get; }

    [GeneratedRegex(@"= -1 E[A-Z]+ \([^)]*\)$", RegexOptions.ExplicitCapture)]
    private static partial Regex Failed { get; }

    [GeneratedRegex("""HTTP/1\.1 (200|422) .*\{\\"id\\":\\"(?<id>[^\\]+)\\",\\"status\\":""", RegexOptions.ExplicitCapture)]
    private static partial Regex Answer { get; }

    /// <summary>The bytes of a file, whatever its names.</summary>
    private sealed class Content
    {
        private int _safe;

        public int Writes { get; set; }

        public bool IsSafe => _safe == Writes;

        public void Safe(int writes) => _safe = Math.Max(_safe, writes);
    }
}
