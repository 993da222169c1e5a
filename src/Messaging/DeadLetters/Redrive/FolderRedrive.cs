using Quayside.Messaging.Configuration;
using Quayside.Messaging.Publishing;
using Quayside.Messaging.Storage;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.DeadLetters.Redrive;

/// <summary>
/// Posts the dead letters of the folder to the running worker, which stores them or refuses them again, or sends them to the queue of their route. Each dead
/// letter that is in the folder at the start is sent once; those that the worker writes meanwhile stay.
/// </summary>
internal sealed class FolderRedrive : IDisposable
{
    private readonly DirectoryDeadLetterStore _store;
    private readonly RedriveRequest _request;
    private readonly RedriveProgress _progress;
    private readonly CommandServices _services;
    private readonly Func<string, CommandServices, CancellationToken, Task<FolderSender>> _openSender;
    private readonly Dictionary<string, FolderSender> _senders = new(StringComparer.OrdinalIgnoreCase);

    // Routes that nothing more can be sent to.
    private readonly HashSet<string> _failedRoutes = new(StringComparer.OrdinalIgnoreCase);
    private int _notTried;
    private int _deletedByOthers;
    private int _parts;
    private bool _refused;

    private FolderRedrive(
        DirectoryDeadLetterStore store,
        RedriveRequest request,
        RedriveProgress progress,
        CommandServices services,
        Func<string, CommandServices, CancellationToken, Task<FolderSender>> openSender)
    {
        _store = store;
        _request = request;
        _progress = progress;
        _services = services;
        _openSender = openSender;
    }

    /// <param name="options">The folder.</param>
    /// <param name="request">What to redrive.</param>
    /// <param name="services">The services that it may use.</param>
    /// <param name="openSender">Opens the sender to a route of the running worker, or to its queue; tells which.</param>
    /// <param name="cancellationToken">Stops the redrive; the result shows what was done by then.</param>
    /// <exception cref="StartupException">The folder is missing or cannot be listed.</exception>
    public static async Task<RedriveResult> RunAsync(
        DeadLettersOptions options,
        RedriveRequest request,
        CommandServices services,
        Func<string, CommandServices, CancellationToken, Task<FolderSender>> openSender,
        CancellationToken cancellationToken)
    {
        DirectoryDeadLetterStore store = new(options, services.Time);
        IReadOnlyList<string> names = List(store);
        if (request.Names is { } chosen)
        {
            names = [.. names.Where(chosen.Contains)];
        }

        int total =
            request.Reason is { } reason ? names.Count(name => DeadLetterFiles.ReasonOf(name) == DirectoryDeadLetterStore.ReasonFolder(reason)) : names.Count;

        // Without the names: one that is gone, another process has redriven.
        RedriveProgress progress = new(request with { Names = null }, total, services.Time, services.Output);
        request.Started?.Invoke(progress);
        using FolderRedrive redrive = new(store, request, progress, services, openSender);
        return await redrive.SendAllAsync(names, cancellationToken);
    }

    public void Dispose()
    {
        foreach (FolderSender sender in _senders.Values)
        {
            sender.Sender.Dispose();
        }
    }

    private static IReadOnlyList<string> List(DirectoryDeadLetterStore store)
    {
        const string Key = $"DeadLetters:{nameof(DeadLettersOptions.Path)}";
        if (!Directory.Exists(store.Root))
        {
            throw new StartupException($"{Key}: the folder '{store.Root}' does not exist. Set the worker's dead-letter folder: --{Key}=folder.");
        }

        try
        {
            IReadOnlyList<string> names = store.Letters.List();
            return names.Count > 0 || store.IsPrepared
                ? names
                : throw new StartupException(
                    $"{Key}: the folder '{store.Root}' has no dead letters, and no worker has kept any there. Mount its volume, "
                        + $"or set the worker's dead-letter folder: --{Key}=folder.", ExitCodes.Unavailable);
        }
        catch (Exception exception) when (FileFaults.IsFileFault(exception))
        {
            throw new StartupException(
                $"{Key}: the dead letters cannot be listed ({exception.Message.TrimEnd('.')}). Run redrive as the worker's user.",
                exception is UnauthorizedAccessException ? ExitCodes.NoPermission : ExitCodes.Unavailable,
                exception);
        }
    }

    private async Task<RedriveResult> SendAllAsync(IReadOnlyList<string> names, CancellationToken stop)
    {
        string? ended = null;
        try
        {
            for (int i = 0; i < names.Count && !_progress.HasAll; i++)
            {
                stop.ThrowIfCancellationRequested();
                if (_request.Reason is { } reason && DeadLetterFiles.ReasonOf(names[i]) != DirectoryDeadLetterStore.ReasonFolder(reason))
                {
                    _progress.AddOtherReason(DeadLetterFiles.ReasonOf(names[i]));
                    continue;
                }

                await RedriveAsync(names[i], stop);
            }

            ended = _notTried > 0
                ? $"nothing more can be sent to route {string.Join(", ", _failedRoutes)}: {_notTried:N0} more dead letter(s) were not tried."
                : null;
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            ended = RedriveProgress.Interrupted;
        }

        AddNotes();
        return _progress.ToResult(ended);
    }

    private async Task RedriveAsync(string name, CancellationToken stop)
    {
        StoredDeadLetter? letter;
        try
        {
            letter = _store.Letters.Find(name);
        }
        catch (Exception exception) when (FileFaults.IsFileFault(exception))
        {
            _progress.AddFound(DeadLetterFiles.ReasonOf(name));
            _progress.AddLeft(name, exception.Message);
            return;
        }

        if (letter is null)
        {
            _deletedByOthers++;
        }
        else if (_request.Reason is not null && letter.Letter.Reason != _request.Reason)
        {
            _progress.AddOtherReason(letter.Letter.Reason);
        }
        else if (letter.Letter.IsPart)
        {
            _parts++;
        }
        else if (_request.DryRun)
        {
            _progress.AddFound(letter.Letter.Reason);
            List(letter);
        }
        else if (_failedRoutes.Contains(RouteOf(letter)))
        {
            _notTried++;
        }
        else
        {
            await _progress.WaitForRateAsync(stop);
            await SendAsync(letter, stop);
        }
    }

    private void List(StoredDeadLetter letter)
    {
        long length = 0;
        byte[] start = _request.Bodies ? ((IDeadLetterReader)_store.Letters).ReadBodyStart(letter.Name, RedriveProgress.MaxBodyBytes, out length) ?? [] : [];
        _progress.List(
            $"{letter.Letter.Reason}  {RouteOf(letter)}  {UntrustedText.Shorten(letter.Letter.SourceId)}  {letter.Letter.LastSeen:u}",
            letter.Letter.Description, start, length);
    }

    private string RouteOf(StoredDeadLetter letter) => _request.Route ?? letter.Letter.Route;

    private async Task SendAsync(StoredDeadLetter letter, CancellationToken stop)
    {
        byte[]? body;
        try
        {
            body = _store.Letters.ReadBody(letter);
        }
        catch (Exception exception) when (FileFaults.IsFileFault(exception))
        {
            _progress.AddFound(letter.Letter.Reason);
            _progress.AddLeft(letter.Name, exception is FileNotFoundException
                ? "its .body file is missing. Restore it, or delete the .json file."
                : exception.Message);
            return;
        }

        if (body is null)
        {
            _deletedByOthers++;
            return;
        }

        _progress.AddFound(letter.Letter.Reason);
        FolderSender opened = await SenderForAsync(RouteOf(letter), stop);
        IMessageSender sender = opened.Sender;
        if ((await sender.SendAsync([ToMessage(letter.Letter, body, sender)], stop))[0] is { } error)
        {
            _progress.AddLeft(letter.Name, error);
            _refused |= sender.Problem is null;
            if (sender.Problem is not null)
            {
                _failedRoutes.Add(RouteOf(letter));
            }

            return;
        }

        try
        {
            if (_store.Letters.Delete(letter, body))
            {
                _progress.AddSent(opened.ToQueue);
            }
            else
            {
                _progress.AddLeft(letter.Name, "accepted, but its .body file was changed while it was sent. Redrive it again, or delete it.");
            }
        }
        catch (Exception exception) when (FileFaults.IsFileFault(exception))
        {
            _progress.AddLeft(letter.Name, $"accepted, but not deleted: {exception.Message}");
        }
    }

    // Of the attributes that its source kept, those that this way can carry. A record that was edited by hand may have none.
    private static OutgoingMessage ToMessage(DeadLetter letter, byte[] body, IMessageSender sender) => new(letter.SourceId, body)
    {
        Group = letter.Group,
        DeduplicationId = letter.DeduplicationId,
        IsRedriven = true,
        SystemProperties = letter.SystemProperties,
        Attributes = [
            .. (letter.Attributes ?? new Dictionary<string, string>()).Where(
                attribute => attribute.Value is not null && sender.CheckAttribute(attribute.Key, attribute.Value) is null)],
    };

    private async ValueTask<FolderSender> SenderForAsync(string route, CancellationToken stop)
    {
        if (!_senders.TryGetValue(route, out FolderSender? sender))
        {
            _senders[route] = sender = await _openSender(route, _services, stop);
        }

        return sender;
    }

    private void AddNotes()
    {
        if (_deletedByOthers > 0)
        {
            _progress.AddNote($"{_deletedByOthers:N0} dead letter(s) were deleted by another process, such as a second redrive.");
        }

        if (_parts > 0)
        {
            _progress.AddNote($"{_parts:N0} dead letter(s) are parts of messages (isPart), which cannot be sent by themselves; they stay.");
        }

        if (_refused)
        {
            _progress.AddNote($"A .body file below {_store.Root} may be edited before the next redrive, which then sends the edited bytes.");
        }
    }
}

/// <summary>Sends the dead letters of a route to the running worker, or to the queue of the route.</summary>
internal sealed class FolderSender(IMessageSender sender, bool toQueue)
{
    public IMessageSender Sender => sender;

    /// <summary>True for a queue: what it accepted is not stored yet.</summary>
    public bool ToQueue => toQueue;
}
