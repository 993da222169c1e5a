using System.Text;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Storage;

/// <summary>
/// Stores each object as one file below a folder, durably and without overwriting (<see cref="DurableFolder"/>), on its own threads. There is
/// no deadline, since a file call cannot be cancelled: cancellation ends the wait for a thread, and a write that has begun reads the
/// body until it ends. Threads: any number; several workers may share a folder.
/// </summary>
internal sealed partial class DirectorySink : IObjectSink
{
    private const string FolderIsGone = "Mount its volume, or restart the worker, which creates the folder";

    // Idle call objects, about 200 B each; enough for the usual number of messages in flight.
    private const int KeptCalls = 256;

    private readonly DurableFolder _folder;
    private readonly FileThreads _threads;
    private readonly FileCalls<Request, SinkResult> _stores;
    private readonly FileCalls<bool, int> _checks;
    private readonly IDeadLetterStore? _deadLetters;
    private readonly string _route;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private volatile string? _problem;
    private volatile int _onlyCopiesLogged;

    public DirectorySink(DirectorySinkOptions options, SinkServices services, IFileHost? host = null)
    {
        _route = services.Route ?? string.Empty;
        _folder = new DurableFolder(
            options.Path, options.Fsync, OctalFileMode.TryParse(options.FileMode, out UnixFileMode mode) ? mode : DurableFolder.DefaultMode, route: _route,
            host: host);
        _threads = new FileThreads($"directory {services.Route}", options.Threads, host);
        _stores = new FileCalls<Request, SinkResult>(_threads, request => Store(request.Key.Span, request.Body.Span), KeptCalls);
        _checks = new FileCalls<bool, int>(_threads, _ => Check(), kept: 1);
        _deadLetters = services.DeadLetters;
        _time = services.Time;
        _logger = services.Loggers.CreateLogger<DirectorySink>();
    }

    public string? Problem => _problem;

    public async Task CheckAsync(CancellationToken cancellationToken)
    {
        int deleted = await _checks.RunAsync(state: default, cancellationToken).AsTask().WaitAsync(cancellationToken);
        if (deleted > 0)
        {
            LogDeletedAbandoned(deleted, _folder.Root);
        }

        if (_deadLetters is not null)
        {
            await KeepUnfinishedAsync(_deadLetters, cancellationToken);
        }
    }

    public ValueTask<SinkResult> StoreAsync(ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, CancellationToken cancellationToken) =>
        _stores.RunAsync(new Request(key, body), cancellationToken);

    public string Locate(string key) =>
        _folder.PathOf(ObjectPath.TryMap(Encoding.UTF8.GetBytes(key), out string? path, out _) ? path : key);

    public ValueTask DisposeAsync()
    {
        _threads.Dispose();
        return default;
    }

    /// <summary>The error for a folder that can never work.</summary>
    internal static StartupException Unusable(string root, Exception exception)
    {
        bool denied = exception is UnauthorizedAccessException;
        string advice = (denied, IsMissingFeature(exception)) switch
        {
            _ when exception is DirectoryNotFoundException => FolderIsGone,
            (true, _) => $"Give user {Environment.UserName} write permission",
            (_, true) => "Its file system has no hard links, which the sink needs to store without overwriting: use another file system",
            _ => "Make it a writable folder",
        };
        return new StartupException(
            $"The folder '{root}' cannot store objects ({exception.Message.TrimEnd('.')}). {advice}, or set "
                + $"{DirectorySinkOptions.Section}:{nameof(DirectorySinkOptions.Path)} to another folder.",
            denied ? ExitCodes.NoPermission : ExitCodes.Unavailable,
            exception);
    }

    private async Task KeepUnfinishedAsync(IDeadLetterStore deadLetters, CancellationToken cancellationToken)
    {
        try
        {
            (int kept, int incomplete) =
                await new UnfinishedDeadLetters(_folder, deadLetters, _threads, _time, _logger).KeepAsync("directory", _route, cancellationToken);
            if (kept > 0)
            {
                LogKeptUnfinished(kept, _folder.Root, UnfinishedDeadLetters.Reason, incomplete);
            }
        }
        catch (Exception exception) when (FileFaults.IsFileFault(exception))
        {
            LogUnfinishedLeft(exception, _folder.Root);
        }
    }

    private int Check()
    {
        try
        {
            _folder.Prepare();
            DateTimeOffset now = _time.GetUtcNow();
            int deleted = _folder.DeleteAbandoned(now);
            if (_deadLetters is null && _folder.FindUnfinished(now).Count is > 0 and int left && left != _onlyCopiesLogged)
            {
                _onlyCopiesLogged = left;
                LogOnlyCopiesLeft(left, _folder.Root);
            }

            _problem = null;
            return deleted;
        }
        catch (Exception exception) when (FileFaults.IsFileFault(exception))
        {
            if (FileFaults.Classify(exception) == FileFault.Transient && !IsMissingFeature(exception))
            {
                if (_problem is null)
                {
                    LogNotWritable(_folder.Root, UntrustedText.Shorten(exception.Message));
                }

                _problem = $"The folder '{_folder.Root}' cannot be written: {exception.Message.TrimEnd('.')}.";
                return 0;
            }

            throw Unusable(_folder.Root, exception);
        }
    }

    private SinkResult Store(ReadOnlySpan<byte> key, ReadOnlySpan<byte> body)
    {
        if (!ObjectPath.TryMap(key, out string? path, out string? problem))
        {
            return new SinkResult(SinkStatus.Rejected, $"The key cannot be mapped to a file: {problem}.");
        }

        try
        {
            PlaceResult placed = _folder.Place(path, body, isOnlyCopy: _deadLetters is not null);
            _problem = null;
            return placed switch
            {
                PlaceResult.Placed => SinkResult.Stored,
                PlaceResult.SameBytes => SinkResult.AlreadyStored,
                PlaceResult.OtherBytes => new SinkResult(SinkStatus.Collision, "The file exists with other bytes."),
                _ => default,
            };
        }
        catch (Exception exception) when (FileFaults.IsFileFault(exception))
        {
            return Failed(exception);
        }
    }

    private static SinkResult Failed(Exception exception)
    {
        SinkStatus status = FileFaults.Classify(exception) switch
        {
            FileFault.Refused => SinkStatus.Refused,
            FileFault.Rejected => SinkStatus.Rejected,
            _ => SinkStatus.Transient,
        };
        string reason = UntrustedText.Shorten(exception.Message);
        return new SinkResult(status, exception is DirectoryNotFoundException ? $"{reason} {FolderIsGone}." : reason);
    }

    // EPERM, ENOSYS and EOPNOTSUPP (Linux 95, Darwin 45 and 102): errors of link(2) on file systems without hard links.
    private static bool IsMissingFeature(Exception exception) =>
        exception is IOException && !OperatingSystem.IsWindows() && exception.HResult is 1 or 38 or 45 or 95 or 102;

    [LoggerMessage(4001, LogLevel.Information, "Deleted {Count} unfinished file(s) that an earlier process left in {Folder}")]
    private partial void LogDeletedAbandoned(int count, string folder);

    [LoggerMessage(4002, LogLevel.Warning, "The folder {Folder} cannot be written now; the worker tries again with each message: {Reason}")]
    private partial void LogNotWritable(string folder, string reason);

    [LoggerMessage(
        4003, LogLevel.Warning,
        "{Count} unfinished object(s) in {Folder}, left by a worker that ended while storing them, were moved to the dead letters as {Reason}; "
            + "{Incomplete} of them are incomplete. Redrive them")]
    private partial void LogKeptUnfinished(int count, string folder, string reason, int incomplete);

    [LoggerMessage(
        4004, LogLevel.Warning,
        "Unfinished objects in {Folder}, left by a worker that ended while storing them, could not be moved to the dead letters; the next start tries again")]
    private partial void LogUnfinishedLeft(Exception exception, string folder);

    [LoggerMessage(
        4005, LogLevel.Warning,
        "{Count} unfinished object(s) in {Folder} may be the only copies of their messages; the next start of a route with a source Channel, Udp or TcpLines "
            + "on this folder moves them to the dead letters")]
    private partial void LogOnlyCopiesLeft(int count, string folder);

    private readonly record struct Request(ReadOnlyMemory<byte> Key, ReadOnlyMemory<byte> Body);
}
