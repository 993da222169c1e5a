using Messaging.Configuration;
using Messaging.DeadLetters;
using Messaging.Files;
using Messaging.Hosting;
using Messaging.Http.Sending;
using Messaging.Publishing;
using Messaging.Telemetry;
using Microsoft.Extensions.Configuration;

namespace Worker.CommandLine;

/// <summary>
/// Posts the dead letters of the folder to the running worker, which stores them, or refuses them again. What is in the folder when
/// it begins is sent once; what the worker writes there meanwhile stays.
/// </summary>
internal sealed class FolderRedrive : IDisposable
{
    private readonly DirectoryDeadLetterStore _store;
    private readonly RedriveRequest _request;
    private readonly RedriveProgress _progress;
    private readonly Func<string, HttpSender> _createSender;
    private readonly Dictionary<string, HttpSender> _senders = new(StringComparer.OrdinalIgnoreCase);
    private int _deletedByOthers;
    private int _parts;
    private bool _refused;

    private FolderRedrive(DirectoryDeadLetterStore store, RedriveRequest request, RedriveProgress progress, Func<string, HttpSender> createSender)
    {
        _store = store;
        _request = request;
        _progress = progress;
        _createSender = createSender;
    }

    /// <exception cref="ConfigurationException">The configuration is wrong.</exception>
    /// <exception cref="StartupException">The folder is missing or cannot be listed.</exception>
    public static async Task<RedriveResult> RunAsync(IConfiguration configuration, RedriveRequest request, TimeProvider time, CancellationToken cancellationToken)
    {
        SettingsReader settings = new(configuration);
        DeadLettersOptions options = settings.Read<DeadLettersOptions>("DeadLetters");
        Uri configured = settings.Read<HostingOptions>("Hosting").Url;
        if (settings.Errors.Count > 0)
        {
            throw new ConfigurationException(settings.Errors);
        }

        Uri worker = HttpSender.AddressOf(configured, request.Url);
        SenderServices services = new(time, Console.Error.WriteLine);
        DirectoryDeadLetterStore store = new(options, time);
        IReadOnlyList<string> names = List(store);
        RedriveProgress progress = new(request, names.Count, time, Console.Out);
        using FolderRedrive redrive = new(store, request, progress, route => HttpSender.Open(worker, route, services));
        return await redrive.SendAllAsync(names, cancellationToken);
    }

    public void Dispose()
    {
        foreach (HttpSender sender in _senders.Values)
        {
            sender.Dispose();
        }
    }

    private static IReadOnlyList<string> List(DirectoryDeadLetterStore store)
    {
        const string Key = $"DeadLetters:{nameof(DeadLettersOptions.Path)}";
        if (!Directory.Exists(store.Root))
        {
            throw new StartupException($"{Key}: there is no folder '{store.Root}'. Name the worker's folder of dead letters: --{Key}=folder.");
        }

        try
        {
            return store.List();
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
            for (int i = 0; i < names.Count && !_progress.HasAll && ended is null; i++)
            {
                stop.ThrowIfCancellationRequested();
                if (_request.Reason is { } reason && DirectoryDeadLetterStore.ReasonOf(names[i]) != DirectoryDeadLetterStore.ReasonFolder(reason))
                {
                    _progress.AddOtherReason(DirectoryDeadLetterStore.ReasonOf(names[i]));
                    continue;
                }

                if (!await RedriveAsync(names[i], stop))
                {
                    ended = $"no more can be sent: {names.Count - i - 1:N0} more dead letter(s) were not tried.";
                }
            }
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            ended = RedriveProgress.Interrupted;
        }

        AddNotes();
        return _progress.ToResult(ended);
    }

    /// <returns>False when nothing more can be sent.</returns>
    private async Task<bool> RedriveAsync(string name, CancellationToken stop)
    {
        StoredDeadLetter? letter;
        try
        {
            letter = _store.Find(name);
        }
        catch (Exception exception) when (FileFaults.IsFileFault(exception))
        {
            _progress.AddFound();
            _progress.AddLeft(name, exception.Message);
            return true;
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
            _progress.AddFound();
            Console.Out.WriteLine($"{letter.Letter.Reason}  {UntrustedText.Shorten(letter.Letter.SourceId)}  {letter.Letter.LastSeen:u}  {UntrustedText.Shorten(letter.Letter.Description)}");
        }
        else
        {
            await _progress.WaitForTurnAsync(stop);
            return await SendAsync(letter, stop);
        }

        return true;
    }

    private async Task<bool> SendAsync(StoredDeadLetter letter, CancellationToken stop)
    {
        byte[]? body;
        try
        {
            body = _store.ReadBody(letter);
        }
        catch (Exception exception) when (FileFaults.IsFileFault(exception))
        {
            _progress.AddFound();
            _progress.AddLeft(letter.Name, exception is FileNotFoundException
                ? "its .body file is missing. Put it back, or delete the .json file."
                : exception.Message);
            return true;
        }

        if (body is null)
        {
            _deletedByOthers++;
            return true;
        }

        _progress.AddFound();
        HttpSender sender = SenderFor(_request.Route ?? letter.Letter.Route);
        if ((await sender.SendAsync([new OutgoingMessage(letter.Letter.SourceId, body)], stop))[0] is { } error)
        {
            _progress.AddLeft(letter.Name, error);
            _refused |= sender.Problem is null;
            return sender.Problem is null;
        }

        try
        {
            _store.Delete(letter);
            _progress.AddSent();
        }
        catch (Exception exception) when (FileFaults.IsFileFault(exception))
        {
            _progress.AddLeft(letter.Name, $"stored, but not deleted: {exception.Message}");
        }

        return true;
    }

    private HttpSender SenderFor(string route)
    {
        if (!_senders.TryGetValue(route, out HttpSender? sender))
        {
            _senders[route] = sender = _createSender(route);
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
            _progress.AddNote($"A .body file below {_store.Root} may be edited before the next redrive, which sends the bytes that it holds then.");
        }
    }
}
