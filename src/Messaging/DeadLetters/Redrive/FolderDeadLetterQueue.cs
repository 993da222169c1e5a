using Quayside.Messaging.Configuration;
using Quayside.Messaging.Publishing;
using Quayside.Messaging.Storage;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.DeadLetters.Redrive;

/// <summary>
/// The dead letters that are in the folder at the start. They are posted to the running worker, which stores them or refuses them again, or sent to the queue
/// of their route; those that the worker writes meanwhile stay.
/// </summary>
/// <param name="options">The folder.</param>
/// <param name="request">What to redrive: others are not read.</param>
/// <param name="services">The services that it may use.</param>
/// <param name="openSender">Opens the sender to a route of the running worker, or to its queue; tells which.</param>
internal sealed class FolderDeadLetterQueue(
    DeadLettersOptions options, RedriveRequest request, CommandServices services,
    Func<string, CommandServices, CancellationToken, Task<(IMessageSender Sender, SentTo To)>> openSender) : IDeadLetterQueue
{
    private readonly DirectoryDeadLetterStore _store = new(options, services.Time);
    private readonly Dictionary<string, (IMessageSender Sender, SentTo To)> _senders = new(StringComparer.OrdinalIgnoreCase);

    // Routes that nothing more can be sent to.
    private readonly HashSet<string> _failedRoutes = new(StringComparer.OrdinalIgnoreCase);
    private IReadOnlyList<string> _names = [];
    private int _next;
    private int _notTried;
    private int _deletedByOthers;
    private int _parts;
    private bool _refused;

    public IReadOnlyList<string> Notes =>
    [
        .. _deletedByOthers == 0 ? (string[])[] : [$"{_deletedByOthers:N0} dead letter(s) were deleted by another process, such as a second redrive."],
        .. _parts == 0 ? (string[])[] : [$"{_parts:N0} dead letter(s) are parts of messages (isPart), which cannot be sent by themselves; they stay."],
        .. _refused ? [$"A .body file below {_store.Root} may be edited before the next redrive, which then sends the edited bytes."] : (string[])[],
    ];

    public string? Problem => _notTried == 0 ? null
        : $"nothing more can be sent to route {string.Join(", ", _failedRoutes)}: {_notTried:N0} more dead letter(s) were not tried.";

    public ValueTask<(long Count, long Hidden)> CountAsync(CancellationToken cancellationToken)
    {
        const string Key = $"DeadLetters:{nameof(DeadLettersOptions.Path)}";
        if (!Directory.Exists(_store.Root))
        {
            throw new StartupException($"{Key}: the folder '{_store.Root}' does not exist. Set the worker's dead-letter folder: --{Key}=folder.");
        }

        try
        {
            IReadOnlyList<string> names = _store.Letters.List();
            if (names.Count == 0 && !_store.IsPrepared)
            {
                throw new StartupException(
                    $"{Key}: the folder '{_store.Root}' has no dead letters, and no worker has kept any there. Mount its volume, "
                        + $"or set the worker's dead-letter folder: --{Key}=folder.", ExitCodes.Unavailable);
            }

            names = request.Names is { } chosen ? [.. names.Where(chosen.Contains)] : names;
            string[] ofReason = [.. names.Where(IsOfReason)];

            // Without any, the others are listed by their reasons.
            _names = ofReason.Length > 0 ? ofReason : names;
            return new((_names.Count, 0));
        }
        catch (Exception exception) when (FileFaults.IsFileFault(exception))
        {
            throw new StartupException(
                $"{Key}: the dead letters cannot be listed ({exception.Message.TrimEnd('.')}). Run redrive as the worker's user.",
                exception is UnauthorizedAccessException ? ExitCodes.NoPermission : ExitCodes.Unavailable,
                exception);
        }
    }

    /// <summary>One by one, so that each is read shortly before it is sent.</summary>
    public ValueTask<IReadOnlyList<QueuedDeadLetter>?> ReceiveAsync(CancellationToken cancellationToken)
    {
        while (_next < _names.Count)
        {
            cancellationToken.ThrowIfCancellationRequested();
            string name = _names[_next++];
            try
            {
                if ((IsOfReason(name) ? Read(name) : new QueuedDeadLetter(name, name, DeadLetterFiles.ReasonOf(name), null)) is { } letter)
                {
                    return new([letter]);
                }
            }
            catch (Exception exception) when (FileFaults.IsFileFault(exception))
            {
                string problem = exception is FileNotFoundException ? "its .body file is missing. Restore it, or delete the .json file." : exception.Message;
                return new([new(name, name, request.Reason ?? DeadLetterFiles.ReasonOf(name), null) { Problem = problem }]);
            }
        }

        return default;
    }

    public async ValueTask<SentTo> SendBackAsync(QueuedDeadLetter letter, CancellationToken cancellationToken)
    {
        DeadLetter record = Describe(letter);
        string route = RouteOf(record);
        if (!_senders.TryGetValue(route, out (IMessageSender Sender, SentTo To) opened))
        {
            _senders[route] = opened = await openSender(route, services, cancellationToken);
        }

        // Of the attributes that its source kept, those that this way can carry. A record that was edited by hand may have none.
        OutgoingMessage message = new(record.SourceId, letter.Body)
        {
            Group = record.Group,
            DeduplicationId = record.DeduplicationId,
            IsRedriven = true,
            SystemProperties = record.SystemProperties,
            Attributes = [
                .. (record.Attributes ?? new Dictionary<string, string>()).Where(
                    attribute => attribute.Value is not null && opened.Sender.CheckAttribute(attribute.Key, attribute.Value) is null)],
        };
        if ((await opened.Sender.SendAsync([message], cancellationToken))[0] is not { } error)
        {
            return opened.To;
        }

        if (request.Route is not null && opened.Sender.HasNoSuchRoute)
        {
            throw new StartupException($"--route {request.Route}: {error}", ExitCodes.Usage);
        }

        // Of other routes, more may be sent.
        bool isRefused = opened.Sender.Problem is null;
        _refused |= isRefused;
        _failedRoutes.UnionWith(isRefused ? [] : [route]);
        throw new DeadLetterException(record.Reason, error);
    }

    /// <summary>Not when the body was edited meanwhile: the edited one was not sent.</summary>
    public ValueTask DeleteAsync(QueuedDeadLetter letter, CancellationToken cancellationToken) =>
        _store.Letters.Delete((StoredDeadLetter)letter.Message!, letter.Body.Span)
            ? default
            : throw new IOException("its .body file was changed while it was sent. Redrive it again, or delete it.");

    public DeadLetter Describe(QueuedDeadLetter letter) => ((StoredDeadLetter)letter.Message!).Letter;

    public ValueTask DisposeAsync()
    {
        foreach ((IMessageSender sender, _) in _senders.Values)
        {
            sender.Dispose();
        }

        _store.Dispose();
        return default;
    }

    private bool IsOfReason(string name) => request.Reason is not { } reason || DeadLetterFiles.ReasonOf(name) == DirectoryDeadLetterStore.ReasonFolder(reason);

    private string RouteOf(DeadLetter letter) => request.Route ?? letter.Route;

    private QueuedDeadLetter? Read(string name)
    {
        StoredDeadLetter? found = _store.Letters.Find(name);
        if (found is { Letter: var record } && (request.Reason is null || record.Reason == request.Reason))
        {
            if (record.IsPart)
            {
                _parts++;
                return null;
            }

            if (_failedRoutes.Contains(RouteOf(record)))
            {
                _notTried++;
                return null;
            }
        }

        long length = 0;
        byte[]? body = found is null || (request.DryRun && !request.Bodies) ? []
            : request.DryRun ? _store.Letters.ReadBodyStart(found, RedriveProgress.MaxBodyBytes, out length)
            : _store.Letters.ReadBody(found);
        if (found is null || body is null)
        {
            _deletedByOthers++;
            return null;
        }

        return new QueuedDeadLetter(name, name, found.Letter.Reason, found)
        {
            Columns = $"{RouteOf(found.Letter)}  {UntrustedText.Shorten(found.Letter.SourceId)}  {found.Letter.LastSeen:u}",
            Description = found.Letter.Description,
            Body = body,
            BodyLength = length,
        };
    }
}
