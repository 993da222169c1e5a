using System.Globalization;
using System.Text;
using System.Text.Json;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Storage;

/// <summary>
/// Dead letters in a folder: <c>{reason}/{yyyyMMdd}/{id}~{hash}.body</c> holds the unchanged bytes, and <c>.json</c> beside it the
/// record. The day is the day of the dead-lettering, in UTC. The hash covers source, route, id and body: with one reason and on one
/// day the same message gets the same name, and two messages never share one, whatever their ids. If an operator edited the body under
/// that name, the message gets the name with <c>-2</c>, or the next number. The body is durable before the record appears. A
/// crash between the two leaves a body, which gets a record within the hour. Writes run on threads of their own, so a disk that
/// hangs blocks no other thread. Threads: any, also several workers on one folder.
/// </summary>
internal sealed partial class DirectoryDeadLetterStore : IDeadLetterStore, IDeadLetterEditor, IDisposable
{
    // Enough to recognise an id. With '~', 32 digits of hash and the suffix, a name stays far below 255 bytes.
    private const int MaxIdLength = 100;
    private const int MaxReasonLength = 64;

    /// <summary>Dead letters written in parallel. Each waits for the disk, which flushes several files together; a shutdown writes many.</summary>
    public const int Threads = 8;

    private const string Key = $"DeadLetters:{nameof(DeadLettersOptions.Path)}";

    // Short, so that the readiness page turns green soon after the disk works again; a probe writes one small file.
    private static readonly TimeSpan ProbeInterval = TimeSpan.FromSeconds(5);

    private readonly IFileHost _host;
    private readonly DurableFolder _folder;
    private readonly DeadLetterFiles _discarded;
    private readonly int _discardedDays;
    private readonly FileThreads _threads;
    private readonly FileCalls<(DeadLetter Letter, ReadOnlyMemory<byte> Body, bool IsNew), string> _writes;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly FileCalls<bool, bool> _probes;
    private readonly FileCalls<bool, WaitingDeadLetters> _counts;
    private readonly DeadLetterCount _count;
    private readonly ITimer _probe;
    private volatile bool _prepared;
    private volatile string? _problem;

    public DirectoryDeadLetterStore(DeadLettersOptions options, TimeProvider time, ILogger<DirectoryDeadLetterStore>? logger = null, IFileHost? host = null)
    {
        _host = host ?? SystemFileHost.Instance;
        _folder = new DurableFolder(options.Path, fsync: true, host: host);
        Letters = new DeadLetterFiles(_folder);
        _discarded = new DeadLetterFiles(_folder, DiscardedFolder);
        _discardedDays = options.DiscardedDays;
        _threads = new FileThreads("dead letters", Threads, host);
        _writes = new FileCalls<(DeadLetter Letter, ReadOnlyMemory<byte> Body, bool IsNew), string>(
            _threads, request => request.IsNew ? Add(request.Letter, request.Body.Span) : Write(request.Letter, request.Body.Span), Threads);
        _probes = new FileCalls<bool, bool>(_threads, _ => Probe(), kept: 1);
        _count = new DeadLetterCount(Root, time);
        _counts = new FileCalls<bool, WaitingDeadLetters>(_threads, _ => CountRecords(), kept: 1);
        _time = time;
        _logger = logger ?? NullLogger<DirectoryDeadLetterStore>.Instance;
        _probe =
            time.CreateTimer(static state => _ = ((DirectoryDeadLetterStore)state!).ProbeAsync(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>The folder's absolute path.</summary>
    public string Root => _folder.Root;

    /// <summary>The dead letters that wait.</summary>
    public DeadLetterFiles Letters { get; }

    public string? Problem => _problem;

    /// <summary>Creates the folder and checks that it can be written.</summary>
    /// <exception cref="StartupException">The folder cannot be written, so no message could be dead-lettered.</exception>
    public async Task CheckAsync(CancellationToken cancellationToken)
    {
        try
        {
            await _probes.RunAsync(state: default, cancellationToken).AsTask().WaitAsync(cancellationToken);
            await new UnfinishedDeadLetters(_folder, this, _threads, _time, _logger).KeepAsync("dead-letters", route: string.Empty, cancellationToken);
        }
        catch (Exception exception) when (FileFaults.IsFileFault(exception) && FileFaults.Classify(exception) == FileFault.Transient)
        {
            Failed(exception);
        }
        catch (Exception exception) when (FileFaults.IsFileFault(exception))
        {
            throw new StartupException(
                $"The folder '{Root}' cannot store dead letters ({exception.Message.TrimEnd('.')}). "
                    + $"Make it writable for user {Environment.UserName}, or set {Key} to a folder that is.",
                ExitCodes.Unavailable,
                exception);
        }
    }

    public ValueTask<string> WriteAsync(DeadLetter letter, ReadOnlyMemory<byte> body, CancellationToken cancellationToken) =>
        WriteAsync((letter, body, IsNew: false), cancellationToken);

    /// <summary>Writes a dead letter that a queue still has, likewise, but under a name of its own: an equal one in the queue is another message.</summary>
    /// <inheritdoc cref="WriteAsync(DeadLetter, ReadOnlyMemory{byte}, CancellationToken)"/>
    public ValueTask<string> AddAsync(DeadLetter letter, ReadOnlyMemory<byte> body, CancellationToken cancellationToken) =>
        WriteAsync((letter, body, IsNew: true), cancellationToken);

    private async ValueTask<string> WriteAsync((DeadLetter Letter, ReadOnlyMemory<byte> Body, bool IsNew) request, CancellationToken cancellationToken)
    {
        try
        {
            string path = await _writes.RunAsync(request, cancellationToken);
            _problem = null;
            return path;
        }
        catch (Exception exception) when (FileFaults.IsFileFault(exception))
        {
            Failed(exception);
            throw new IOException($"The dead letter could not be stored: {exception.Message}", exception);
        }
    }

    /// <exception cref="IOException">A folder cannot be listed.</exception>
    /// <exception cref="UnauthorizedAccessException">Likewise.</exception>
    public async ValueTask<WaitingDeadLetters?> CountWaitingAsync(CancellationToken cancellationToken) =>
        await _counts.RunAsync(state: default, cancellationToken);

    /// <summary>True while the folder is one that a worker has prepared.</summary>
    internal bool IsPrepared => _folder.IsPrepared;

    public void Dispose()
    {
        _probe.Dispose();
        _threads.Dispose();
    }

    private void Failed(Exception exception)
    {
        string advice = exception is DirectoryNotFoundException
            ? "Mount its volume, or restart the worker, which creates the folder"
            : "Free disk space, or make the folder writable";
        _problem = $"Dead letters cannot be written to '{Root}': {UntrustedText.Shorten(exception.Message)} {advice} ({Key}).";
        _probe.Change(ProbeInterval, Timeout.InfiniteTimeSpan);
    }

    // The next dead letter may be far away, and a worker that is not ready may receive no message.
    private async Task ProbeAsync()
    {
        try
        {
            await _probes.RunAsync(state: default, CancellationToken.None);
            _problem = null;
        }
        catch (ObjectDisposedException)
        {
            // The worker stops.
        }
        catch (Exception exception)
        {
            Failed(exception);
        }
    }

    private bool Probe()
    {
        Prepare();
        _folder.Prepare();
        return true;
    }

    private string Write(DeadLetter letter, ReadOnlySpan<byte> body)
    {
        Prepare();
        string first = NameOf(letter, body);
        string name = first;

        // A part, whose message its source still has, or a copy of an unfinished file, which stays until its dead letter is written. What a crash
        // leaves of it must not be recovered: it would count as a whole message.
        bool isOnlyCopy = letter is not ({ IsPart: true } or { Reason: UnfinishedDeadLetters.Reason, Attempts: 0 });
        PlaceResult placed;

        // Other bytes under the name: an operator has edited the body of this message's earlier dead letter, as the documentation allows.
        for (int copy = 2; (placed = _folder.Place(name + DeadLetterFiles.BodySuffix, body, isOnlyCopy)) == PlaceResult.OtherBytes; copy++)
        {
            name = string.Create(CultureInfo.InvariantCulture, $"{first}-{copy}");
        }

        // An existing record stays as it is: it describes the first time that this message was dead-lettered.
        if (_folder.Place(
            name + DeadLetterFiles.RecordSuffix, JsonSerializer.SerializeToUtf8Bytes(letter, DeadLetterFiles.Records.DeadLetter)) == PlaceResult.Placed
            && placed == PlaceResult.SameBytes)
        {
            // A redrive may have deleted the earlier dead letter, and its body with it, since the body was found.
            _folder.Place(name + DeadLetterFiles.BodySuffix, body, isOnlyCopy);
        }

        return _folder.PathOf(name + DeadLetterFiles.BodySuffix);
    }

    private string Add(DeadLetter letter, ReadOnlySpan<byte> body)
    {
        Prepare();
        string first = NameOf(letter, body);
        for (bool isFirst = true; ; isFirst = false)
        {
            // At first a name that has a body without a record: a redrive that was killed left it, and its message is still in the queue.
            string name = Letters.FreeName(first, hasBody: !isFirst);

            // Another process may take the name meanwhile.
            if (_folder.Place(name + DeadLetterFiles.BodySuffix, body) != PlaceResult.OtherBytes
                && _folder.Place(
                    name + DeadLetterFiles.RecordSuffix, JsonSerializer.SerializeToUtf8Bytes(letter, DeadLetterFiles.Records.DeadLetter)) == PlaceResult.Placed)
            {
                return _folder.PathOf(name + DeadLetterFiles.BodySuffix);
            }
        }
    }

    // A volume that was unmounted has no dead letters, but they wait.
    private WaitingDeadLetters CountRecords()
    {
        if (_prepared && !IsPrepared)
        {
            throw _folder.Gone();
        }

        TidyUp();
        return _count.Count(Letters.TimeOf);
    }

    private void Prepare()
    {
        // Several threads may do this concurrently.
        if (!_prepared)
        {
            _folder.Prepare();
            _folder.DeleteAbandoned(_time.GetUtcNow());
            _prepared = true;
        }
    }

    private static string NameOf(DeadLetter letter, ReadOnlySpan<byte> body)
    {
        string day = letter.LastSeen.UtcDateTime.ToString("yyyyMMdd", CultureInfo.InvariantCulture);
        byte[] identity = Encoding.UTF8.GetBytes($"{letter.Source}\0{letter.Route}\0{letter.SourceId}\0{FileName.Hash(body)}");
        return $"{ReasonFolder(letter.Reason)}/{day}/{FileName.Sanitize(letter.SourceId, MaxIdLength)}~{FileName.Hash(identity)}";
    }

    /// <summary>The folder that holds the dead letters of a reason.</summary>
    public static string ReasonFolder(string reason) => FileName.Sanitize(reason, MaxReasonLength);
}
