using System.CommandLine;
using System.Net;
using System.Text.Json;
using Messaging.CommandLine.Top;
using Messaging.Configuration;
using Messaging.Http.Web.Api;
using Messaging.Telemetry;
using Microsoft.Extensions.Configuration;
using Spectre.Console;

namespace Messaging.CommandLine;

/// <summary><c>top</c>: shows the state of a running worker in the terminal, from its API.</summary>
internal static class TopCommand
{
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

    private const int MaxAnswerBytes = 16 << 20;

    public static Command Create(CommandContext context)
    {
        Option<bool> once = new("--once") { Description = "Print the state once, with rates over one second, and exit; exit 1 when a route is not ready" };
        Option<string?> url = new("--url") { Description = "Address of the running worker; default Hosting:Url. Hosting:Token is sent if it is set", HelpName = "address" };
        Command command = new("top", "Show what a running worker does: rates, latency, breakers, refused callers, dead letters; q or Ctrl+C exits.") { once, url };
        command.SetAction(async (parsed, cancellationToken) =>
        {
            IConfigurationRoot configuration = context.ReadConfiguration(parsed);
            using HttpClient client = Connect(parsed.GetValue(url), configuration["Hosting:Url"], configuration["Hosting:Token"]);
            return await StandardOutput.RunAsync(end => parsed.GetValue(once) ? PrintAsync(client, end) : ShowAsync(client, end), cancellationToken);
        });
        return command;
    }

    private static HttpClient Connect(string? url, string? configured, string? token)
    {
        string address = url ?? (string.IsNullOrEmpty(configured) ? "http://127.0.0.1:8080" : configured);
        if (!Uri.TryCreate(address, UriKind.Absolute, out Uri? worker) || worker.Scheme is not ("http" or "https"))
        {
            throw new StartupException($"{(url is null ? "Hosting:Url" : "--url")} {address}: must be an address such as http://127.0.0.1:8080.", ExitCodes.Usage);
        }

        if (IPAddress.TryParse(worker.DnsSafeHost, out IPAddress? bound) && (bound.Equals(IPAddress.Any) || bound.Equals(IPAddress.IPv6Any)))
        {
            // A worker that listens on every address also answers on loopback.
            worker = new UriBuilder(worker) { Host = "127.0.0.1" }.Uri;
        }

        HttpClient client = new(new SocketsHttpHandler { UseProxy = false, AllowAutoRedirect = false, ConnectTimeout = TimeSpan.FromSeconds(2) })
        {
            BaseAddress = worker,
            Timeout = TimeSpan.FromSeconds(5),
            MaxResponseContentBufferSize = MaxAnswerBytes,
        };
        if (!string.IsNullOrEmpty(token))
        {
            client.DefaultRequestHeaders.Authorization = new("Bearer", token);
        }

        return client;
    }

    private static async Task<int> PrintAsync(HttpClient client, CancellationToken cancellationToken)
    {
        WorkerState before = await ReadAsync(client, cancellationToken);
        await Task.Delay(Interval, cancellationToken);
        WorkerView view = new(await ReadAsync(client, cancellationToken), before);
        Console.Out.Write(TerminalScreen.TextOf(TopScreen.Draw(view, TerminalScreen.Width), TerminalScreen.Width, !Console.IsOutputRedirected && AnsiConsole.Profile.Capabilities.Ansi));
        return view.IsReady ? ExitCodes.Success : ExitCodes.Incomplete;
    }

    private static async Task<int> ShowAsync(HttpClient client, CancellationToken cancellationToken)
    {
        WorkerState before = await ReadAsync(client, cancellationToken);
        using TerminalScreen screen = new();
        using CancellationTokenSource end = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, screen.Quit);
        screen.Show(width => TopScreen.Draw(new WorkerView(before, null), width));
        while (!end.IsCancellationRequested && TolerantWriter.Failure is null)
        {
            await Task.Delay(Interval, end.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            try
            {
                WorkerState after = await ReadAsync(client, end.Token);
                WorkerView view = new(after, before);
                screen.Show(width => TopScreen.Draw(view, width));
                before = after;
            }
            catch (StartupException exception)
            {
                screen.Show(width => TopScreen.Gone(new WorkerView(before, null), exception.Message, width));
            }
            catch (OperationCanceledException) when (end.IsCancellationRequested)
            {
                break;
            }
        }

        return ExitCodes.Success;
    }

    /// <exception cref="StartupException">No worker answers, or it refuses access.</exception>
    private static async Task<WorkerState> ReadAsync(HttpClient client, CancellationToken cancellationToken)
    {
        try
        {
            using HttpResponseMessage answer = await client.GetAsync("/api/v1/stats", cancellationToken);
            string text = await answer.Content.ReadAsStringAsync(cancellationToken);
            if (answer.StatusCode is HttpStatusCode.Unauthorized or HttpStatusCode.Forbidden)
            {
                throw new StartupException($"The worker at {client.BaseAddress} refuses access: give its token with --Hosting:Token=token. Its answer: {UntrustedText.Shorten(text)}", ExitCodes.NoPermission);
            }

            return answer.IsSuccessStatusCode
                ? JsonSerializer.Deserialize(text, WorkerStateJson.Default.WorkerState) ?? throw new JsonException("null")
                : throw new StartupException($"{client.BaseAddress} answered {(int)answer.StatusCode}: is a worker running there?", ExitCodes.Unavailable);
        }
        catch (JsonException exception)
        {
            throw new StartupException($"{client.BaseAddress} answered with what is not a worker's state ({exception.Message.TrimEnd('.')}): is a worker of this version running there?", ExitCodes.Unavailable, exception);
        }
        catch (Exception exception) when (exception is HttpRequestException || (exception is TaskCanceledException && !cancellationToken.IsCancellationRequested))
        {
            throw new StartupException($"No worker answers at {client.BaseAddress} ({exception.Message.TrimEnd('.')}). Start one, or give its address with --url.", ExitCodes.Unavailable, exception);
        }
    }
}
