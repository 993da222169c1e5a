using System.Net;
using System.Net.Http.Headers;
using Microsoft.Extensions.Configuration;
using Worker.Configuration;
using Worker.Hosting;
using Worker.Recoverability;
using Worker.Sources.Http;
using Worker.Telemetry;

namespace Worker.CommandLine;

/// <summary>Posts messages to a running worker, one a request; the answer means stored. Comes back as the worker asks while it is busy.</summary>
internal sealed class HttpSender : IMessageSender
{
    private const int Attempts = 20;
    private static readonly Backoff Backoff = new(TimeSpan.FromMilliseconds(50), TimeSpan.FromSeconds(5));

    private readonly HttpClient _client;
    private readonly Uri _address;

    // Set once nobody listens any more: the rest is not tried one by one.
    private volatile string? _gone;

    private HttpSender(Uri address)
    {
        _address = address;
        _client = new HttpClient(new SocketsHttpHandler { UseProxy = false, AllowAutoRedirect = false, ConnectTimeout = TimeSpan.FromSeconds(2) })
        {
            // Longer than a message may take in the worker (Intake:MessageTimeout).
            Timeout = TimeSpan.FromMinutes(3),
        };
    }

    public string Target => _address.ToString();

    public string Accepted => "stored by";

    public int Concurrency => 32;

    public int BatchSize => 1;

    /// <exception cref="ConfigurationException">Hosting:Url is wrong.</exception>
    /// <exception cref="StartupException"><paramref name="url"/> is no address.</exception>
    public static HttpSender Create(IConfiguration configuration, string? url, string? route)
    {
        SettingsReader settings = new(configuration);
        Uri worker = settings.Read<HostingOptions>("Hosting").Url;
        if (settings.Errors.Count > 0)
        {
            throw new ConfigurationException(settings.Errors);
        }

        if (url is not null && !(Uri.TryCreate(url, UriKind.Absolute, out worker!) && worker.Scheme is "http" or "https"))
        {
            throw new StartupException($"--url {url}: must be an address such as http://127.0.0.1:8080.", ExitCodes.Usage);
        }

        return new HttpSender(new Uri(worker, route is null ? "/messages" : $"/messages/{Uri.EscapeDataString(route)}"));
    }

    public async Task<string?[]> SendAsync(IReadOnlyList<OutgoingMessage> messages, CancellationToken cancellationToken)
    {
        string?[] results = new string?[messages.Count];
        for (int i = 0; i < results.Length; i++)
        {
            results[i] = await SendAsync(messages[i], cancellationToken);
        }

        return results;
    }

    public void Dispose() => _client.Dispose();

    private async Task<string?> SendAsync(OutgoingMessage message, CancellationToken cancellationToken)
    {
        for (int attempt = 1; ; attempt++)
        {
            if (_gone is { } gone)
            {
                return gone;
            }

            TimeSpan wait;
            string error;
            try
            {
                using HttpRequestMessage request = new(HttpMethod.Post, _address) { Content = new ReadOnlyMemoryContent(message.Body) };
                request.Content.Headers.ContentType = new MediaTypeHeaderValue("application/json");
                if (message.Id.Length is > 0 and <= MessageIds.MaxHeaderLength && message.Id.All(c => c is > ' ' and <= '~'))
                {
                    request.Headers.TryAddWithoutValidation(MessageIds.Header, message.Id);
                }

                using HttpResponseMessage response = await _client.SendAsync(request, cancellationToken);
                if (response.IsSuccessStatusCode)
                {
                    return null;
                }

                error = $"{(int)response.StatusCode}: {UntrustedText.Shorten(await response.Content.ReadAsStringAsync(cancellationToken))}";
                wait = response.Headers.RetryAfter?.Delta ?? TimeSpan.Zero;
                if (response.StatusCode is not (HttpStatusCode.TooManyRequests or HttpStatusCode.ServiceUnavailable) || attempt >= Attempts)
                {
                    return error;
                }
            }
            catch (HttpRequestException exception)
            {
                return _gone = $"{exception.Message.TrimEnd('.')}. Is a worker running there? Start one, or give its address with --url.";
            }
            catch (TaskCanceledException) when (!cancellationToken.IsCancellationRequested)
            {
                return $"no answer within {_client.Timeout}";
            }

            await Task.Delay(Backoff.After(attempt, wait), cancellationToken);
        }
    }
}
