using System.Net;
using System.Net.Http.Headers;
using System.Text;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Http.Source;
using Quayside.Messaging.Publishing;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Messages;

namespace Quayside.Messaging.Http.Sending;

/// <summary>
/// Posts messages to a running worker, one per request. A message counts as stored only when the worker's answer confirms its id. Messages are sent again
/// while the worker throttles or restarts; with the same id and bytes they yield the same object.
/// </summary>
internal sealed class HttpSender : IMessageSender
{
    private const int Attempts = 20;

    // The limit for a message that breaks every connection while others are stored; more than an outage within RestartLimit needs.
    private const int MaxReconnects = 250;

    private const string NoConnection = "the connection timed out";

    // A worker's answer to one message has a few hundred bytes.
    private const int MaxAnswerBytes = 64 << 10;

    private static readonly Backoff Backoff = new(TimeSpan.FromMilliseconds(50), TimeSpan.FromSeconds(5));

    // While the worker is unreachable; a start takes about a second.
    private static readonly Backoff OutageBackoff = new(TimeSpan.FromMilliseconds(100), TimeSpan.FromSeconds(1));

    // The limit for Retry-After: a worker sends at most an hour, another server anything.
    private static readonly TimeSpan LongestWait = TimeSpan.FromSeconds(30);

    private readonly HttpClient _client;
    private readonly Uri _address;
    private readonly TimeProvider _time;
    private readonly WorkerOutage _outage;

    // Messages stored so far, by all callers.
    private long _stored;

    // Set when no worker answers any more; the remaining messages are not sent.
    private volatile string? _gone;

    /// <param name="address">The URL to post to.</param>
    /// <param name="handler">Sends the requests; disposed with this sender.</param>
    /// <param name="time">The clock of the waits.</param>
    /// <param name="notice">Receives a line for the operator when the sender waits for the worker.</param>
    public HttpSender(Uri address, HttpMessageHandler handler, TimeProvider time, Action<string> notice)
    {
        _address = address;
        _time = time;
        _outage = new WorkerOutage(address.GetLeftPart(UriPartial.Authority), time, notice);
        _client = new HttpClient(handler)
        {
            // Longer than a message may take in the worker (Intake:MessageTimeout).
            Timeout = TimeSpan.FromMinutes(3),
            MaxResponseContentBufferSize = MaxAnswerBytes,
        };
    }

    public string Target => _address.ToString();

    /// <summary>The route; without one, the worker's address.</summary>
    public MessageDestination Destination => new("http", _address.Segments is [_, "messages/", { } route] ? Uri.UnescapeDataString(route) : _address.Authority);

    MessageDestination? IMessageSender.Destination => Destination;

    public string Accepted => "stored by";

    public int Concurrency => 32;

    public int BatchSize => 1;

    public string? Problem => _gone;

    public bool HasNoSuchRoute { get; private set; }

    /// <summary>The address of a running worker.</summary>
    /// <param name="configured">Hosting:Url.</param>
    /// <param name="url">The value of --url, which takes precedence; null when it is not given.</param>
    /// <exception cref="StartupException"><paramref name="url"/> is not an address.</exception>
    public static Uri AddressOf(Uri configured, string? url)
    {
        if (url is null)
        {
            return configured;
        }

        return Uri.TryCreate(url, UriKind.Absolute, out Uri? worker) && worker is { Scheme: "http" or "https", UserInfo: "" }
            ? worker
            : throw new StartupException($"--url {SettingText.Mask(url)}: must be an address such as http://127.0.0.1:8080, without a user.", ExitCodes.Usage);
    }

    /// <summary>Opens a sender to a route of the worker; null means its only route.</summary>
    public static HttpSender Open(Uri worker, string? route, CommandServices services) => new(
        new Uri(worker, route is null ? "/messages" : $"/messages/{Uri.EscapeDataString(route)}"),
        new SocketsHttpHandler { UseProxy = false, AllowAutoRedirect = false, ConnectTimeout = TimeSpan.FromSeconds(2) },
        services.Time,
        services.Error.WriteLine);

    public async Task<string?[]> SendAsync(IReadOnlyList<OutgoingMessage> messages, CancellationToken cancellationToken)
    {
        string?[] results = new string?[messages.Count];
        for (int i = 0; i < results.Length; i++)
        {
            results[i] = await SendAsync(messages[i], cancellationToken);
        }

        return results;
    }

    public string? CheckAttribute(string name, string value) => HeaderRules.CanSend(name, value)
        ? null
        : "it is sent as a header, whose name has letters, digits and hyphens and is none that the request itself has, and whose value is printable ASCII";

    public void Dispose() => _client.Dispose();

    private async Task<string?> SendAsync(OutgoingMessage message, CancellationToken cancellationToken)
    {
        long storedBefore = Interlocked.Read(ref _stored);
        int refused = 0;
        int unreachable = 0;
        while (_gone is null)
        {
            long sent = _time.GetTimestamp();
            TimeSpan wait;
            try
            {
                using HttpRequestMessage request = CreateRequest(message, out string id);
                using HttpResponseMessage response = await _client.SendAsync(request, cancellationToken);
                byte[] body = await response.Content.ReadAsByteArrayAsync(cancellationToken);
                _outage.End();
                WorkerAnswer? answer = WorkerAnswer.Parse(body);
                if (response.IsSuccessStatusCode)
                {
                    return TakeSuccess((int)response.StatusCode, answer, id, body);
                }

                HasNoSuchRoute |= response.StatusCode == HttpStatusCode.NotFound && answer?.Code == "unknown-route";
                string error = WorkerAnswer.Describe((int)response.StatusCode, answer, body);
                if (response.StatusCode is not (HttpStatusCode.TooManyRequests or HttpStatusCode.ServiceUnavailable))
                {
                    return error;
                }

                if (++refused >= Attempts)
                {
                    return GiveUp(error, storedBefore);
                }

                TimeSpan asked = response.Headers.RetryAfter?.Delta ?? TimeSpan.Zero;
                wait = Backoff.After(refused, asked < LongestWait ? asked : LongestWait);
            }
            catch (HttpRequestException exception)
            {
                // "An error occurred while sending the request" alone names no cause.
                string error = (exception.HttpRequestError is HttpRequestError.Unknown ? exception.GetBaseException() : exception).Message.TrimEnd('.');
                if (!IsOutage(exception) || !_outage.MayWait(error))
                {
                    return _gone = NoWorker(error);
                }

                if (++unreachable >= MaxReconnects)
                {
                    return error;
                }

                wait = OutageBackoff.After(unreachable);
            }
            catch (TaskCanceledException) when (!cancellationToken.IsCancellationRequested)
            {
                // Either the request timeout or the much shorter connect timeout.
                if (_time.GetElapsedTime(sent) >= _client.Timeout / 2)
                {
                    return GiveUp($"no answer within {_client.Timeout.TotalMinutes:N0} minutes.", storedBefore);
                }

                if (!_outage.MayWait(NoConnection))
                {
                    return _gone = NoWorker(NoConnection);
                }

                wait = OutageBackoff.After(++unreachable);
            }

            await Task.Delay(wait, _time, cancellationToken);
        }

        return _gone;
    }

    private HttpRequestMessage CreateRequest(OutgoingMessage message, out string id)
    {
        HttpRequestMessage request = new(HttpMethod.Post, _address) { Content = new ReadOnlyMemoryContent(message.Body) };
        request.Content.Headers.ContentType = new MediaTypeHeaderValue("application/json");
        if (MessageSpans.TryGetCurrent(out string? parent, out string? state))
        {
            // HttpClient would send the context of its own span, which listeners of the worker's spans do not see.
            request.Headers.TryAddWithoutValidation("traceparent", parent);
            request.Headers.TryAddWithoutValidation("tracestate", state);
        }

        foreach ((string name, string value) in message.Attributes)
        {
            request.Headers.TryAddWithoutValidation(name, value);
        }

        if (message.Id.Length is > 0 and <= MessageIds.MaxHeaderLength && message.Id.All(c => c is > ' ' and <= '~'))
        {
            request.Headers.TryAddWithoutValidation(MessageIds.Header, message.Id);
            id = message.Id;
            return request;
        }

        Span<byte> made = stackalloc byte[ContentId.Length];
        ContentId.Write(message.Body.Span, made);
        id = Encoding.ASCII.GetString(made);
        return request;
    }

    private string? TakeSuccess(int status, WorkerAnswer? answer, string id, byte[] body)
    {
        if (answer?.IsStored(id) == true)
        {
            Interlocked.Increment(ref _stored);
            return null;
        }

        // Another program or a proxy answers there, so nothing more is sent.
        return _gone = $"{_address} answered {WorkerAnswer.Describe(status, answer, body)}. That is not a worker's answer "
            + $"{{\"id\":\"{id}\",\"status\":\"stored\"}}, so the message does not count as stored. Give the worker's address with --url.";
    }

    /// <summary>Fails this message; if no message was stored meanwhile, fails all remaining ones.</summary>
    private string GiveUp(string error, long storedBefore)
    {
        if (Interlocked.Read(ref _stored) == storedBefore)
        {
            _gone = error;
        }

        return error;
    }

    private static string NoWorker(string error) => $"{error}. Is a worker running there? Start one, or give its address with --url.";

    // No connection, or a broken one. Waiting does not help for unknown hostnames, certificates and other protocols.
    private static bool IsOutage(HttpRequestException exception) => exception.HttpRequestError switch
    {
        HttpRequestError.ConnectionError or HttpRequestError.ResponseEnded => true,
        HttpRequestError.Unknown => exception.InnerException is IOException,
        _ => false,
    };
}
