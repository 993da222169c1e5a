using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Logging.Abstractions;
using Worker.Configuration;
using Worker.DeadLetters;
using Worker.Telemetry;

namespace Worker.CommandLine;

/// <summary>Posts the dead letters of the folder to the running worker, which stores them, or refuses them again.</summary>
internal static class FolderRedrive
{
    public static async Task<RedriveResult> RunAsync(IConfiguration configuration, RedriveRequest request, CancellationToken cancellationToken)
    {
        SettingsReader settings = new(configuration);
        DeadLettersOptions options = settings.Read<DeadLettersOptions>("DeadLetters");
        if (settings.Errors.Count > 0)
        {
            throw new ConfigurationException(settings.Errors);
        }

        DirectoryDeadLetterStore store = new(options, TimeProvider.System, NullLogger<DirectoryDeadLetterStore>.Instance);
        Dictionary<string, HttpSender> senders = new(StringComparer.OrdinalIgnoreCase);
        int found = 0;
        int sent = 0;
        string? firstError = null;
        try
        {
            foreach (StoredDeadLetter letter in store.Read(request.Reason).Where(letter => !letter.Letter.IsPart).Take(request.Max))
            {
                cancellationToken.ThrowIfCancellationRequested();
                found++;
                if (request.DryRun)
                {
                    Console.Out.WriteLine($"{letter.Letter.Reason}  {UntrustedText.Shorten(letter.Letter.SourceId)}  {letter.Letter.LastSeen:u}  {UntrustedText.Shorten(letter.Letter.Description)}");
                    continue;
                }

                string route = request.Route ?? letter.Letter.Route;
                if (!senders.TryGetValue(route, out HttpSender? sender))
                {
                    senders[route] = sender = HttpSender.Create(configuration, request.Url, route);
                }

                string? error = (await sender.SendAsync([new OutgoingMessage(letter.Letter.SourceId, store.ReadBody(letter))], cancellationToken))[0];
                if (error is null)
                {
                    store.Delete(letter);
                    sent++;
                }
                else
                {
                    firstError ??= error;
                }
            }
        }
        finally
        {
            foreach (HttpSender sender in senders.Values)
            {
                sender.Dispose();
            }
        }

        return new RedriveResult(found, sent, firstError);
    }
}
