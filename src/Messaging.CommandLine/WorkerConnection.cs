using System.CommandLine;
using System.Net;
using Messaging.Configuration;
using Microsoft.Extensions.Configuration;

namespace Messaging.CommandLine;

/// <summary>The HTTP endpoints of a running worker, for the commands that ask it. Threads: any.</summary>
internal sealed class WorkerConnection : IDisposable
{
    private const int MaxAnswerBytes = 16 << 20;

    private readonly HttpClient _client;

    private WorkerConnection(Uri address, string? token)
    {
        _client = new HttpClient(new SocketsHttpHandler { UseProxy = false, AllowAutoRedirect = false, ConnectTimeout = TimeSpan.FromSeconds(2) })
        {
            BaseAddress = address,
            Timeout = TimeSpan.FromSeconds(5),
            MaxResponseContentBufferSize = MaxAnswerBytes,
        };
        if (!string.IsNullOrEmpty(token))
        {
            _client.DefaultRequestHeaders.Authorization = new("Bearer", token);
        }
    }

    public Uri Address => _client.BaseAddress!;

    /// <summary>The option of a command with the address of the worker.</summary>
    public static Option<string?> CreateOption() =>
        new("--url") { Description = "Address of the running worker; default Hosting:Url. Hosting:Token is sent if it is set", HelpName = "address" };

    /// <summary>Opens no connection yet.</summary>
    /// <param name="url">The value of the option; null for the configured address.</param>
    /// <param name="configuration">The worker's configuration.</param>
    /// <exception cref="StartupException">The address is none of HTTP.</exception>
    public static WorkerConnection To(string? url, IConfiguration configuration)
    {
        string? configured = configuration["Hosting:Url"];
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

        return new WorkerConnection(worker, configuration["Hosting:Token"]);
    }

    /// <summary>Reads a page.</summary>
    /// <exception cref="StartupException">No worker answers.</exception>
    public async Task<(HttpStatusCode Status, string Text)> ReadAsync(string path, CancellationToken cancellationToken)
    {
        try
        {
            using HttpResponseMessage answer = await _client.GetAsync(path, cancellationToken);
            return (answer.StatusCode, await answer.Content.ReadAsStringAsync(cancellationToken));
        }
        catch (Exception exception) when (exception is HttpRequestException || (exception is TaskCanceledException && !cancellationToken.IsCancellationRequested))
        {
            throw new StartupException($"No worker answers at {Address} ({exception.Message.TrimEnd('.')}). Start one, or give its address with --url.", ExitCodes.Unavailable, exception);
        }
    }

    public void Dispose() => _client.Dispose();
}
