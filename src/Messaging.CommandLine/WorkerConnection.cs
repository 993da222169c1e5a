using System.CommandLine;
using System.Net;
using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Microsoft.Extensions.Configuration;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.CommandLine;

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
            Timeout = Timeout.InfiniteTimeSpan,
            MaxResponseContentBufferSize = MaxAnswerBytes,
        };
        if (!string.IsNullOrEmpty(token))
        {
            _client.DefaultRequestHeaders.Authorization = new("Bearer", token);
        }
    }

    public Uri Address => _client.BaseAddress!;

    /// <summary>The time for an answer. A worker on a busy machine answers late; where none runs, the connection is refused.</summary>
    public TimeSpan AnswerLimit { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>The option of a command with the address of the worker.</summary>
    public static Option<string?> CreateOption() =>
        new("--url") { Description = "Address of the running worker; default Hosting:Url. Hosting:Token is sent if it is set", HelpName = "address" };

    /// <summary>Gives a command the option with the address of the worker, and an action that prints what the worker says.</summary>
    public static Command Asking(Command command, CommandContext context, Func<WorkerConnection, ParseResult, CancellationToken, Task<int>> print)
    {
        Option<string?> url = CreateOption();
        command.Add(url);
        command.SetAction(async (parsed, cancellationToken) =>
        {
            using WorkerConnection worker = To(parsed.GetValue(url), context.ReadConfiguration(parsed));
            return await StandardOutput.RunAsync(end => print(worker, parsed, end), cancellationToken);
        });
        return command;
    }

    /// <summary>Opens no connection yet.</summary>
    /// <param name="url">The value of the option; null for the configured address.</param>
    /// <param name="configuration">The worker's configuration.</param>
    /// <exception cref="StartupException">The address is none of HTTP.</exception>
    public static WorkerConnection To(string? url, IConfiguration configuration)
    {
        string? configured = configuration["Hosting:Url"];
        string address = url ?? (string.IsNullOrEmpty(configured) ? "http://127.0.0.1:8080" : configured);
        if (!Uri.TryCreate(address, UriKind.Absolute, out Uri? worker) || worker is not { Scheme: "http" or "https", UserInfo: "" })
        {
            throw new StartupException(
                $"{(url is null ? "Hosting:Url" : "--url")} {SettingText.Mask(address)}: must be an address such as http://127.0.0.1:8080, without a user.",
                ExitCodes.Usage);
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
        (HttpStatusCode status, byte[] body) = await SendAsync(HttpMethod.Get, path, json: null, cancellationToken);
        return (status, Encoding.UTF8.GetString(body));
    }

    /// <summary>Reads what the API says.</summary>
    /// <exception cref="StartupException">No worker answers, or it refuses.</exception>
    public Task<T> GetAsync<T>(string path, JsonTypeInfo<T> type, CancellationToken cancellationToken)
        where T : class => AskAsync(HttpMethod.Get, path, json: null, type, cancellationToken);

    /// <summary>Asks the API for something.</summary>
    /// <param name="method">The method.</param>
    /// <param name="path">The path with its query.</param>
    /// <param name="json">The request; null without one.</param>
    /// <param name="type">The answer.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="StartupException">No worker answers, or it refuses.</exception>
    public async Task<T> AskAsync<T>(HttpMethod method, string path, byte[]? json, JsonTypeInfo<T> type, CancellationToken cancellationToken) where T : class
    {
        byte[] body = await ReadBytesAsync(method, path, json, cancellationToken);
        try
        {
            return JsonSerializer.Deserialize(body, type) ?? throw new JsonException("null");
        }
        catch (JsonException exception)
        {
            throw new StartupException(
                $"{Address} answered with what is not a worker's state ({exception.Message.TrimEnd('.')}): is a worker of this version running there?",
                ExitCodes.Unavailable, exception);
        }
    }

    /// <summary>Likewise; the answer is not JSON.</summary>
    /// <exception cref="StartupException">No worker answers, or it refuses.</exception>
    public async Task<byte[]> ReadBytesAsync(HttpMethod method, string path, byte[]? json, CancellationToken cancellationToken)
    {
        (HttpStatusCode status, byte[] body) = await SendAsync(method, path, json, cancellationToken);
        return (int)status is >= 200 and < 300 ? body : throw Refused(status, body);
    }

    private StartupException Refused(HttpStatusCode status, byte[] body)
    {
        (string? code, string? text) = ErrorOf(body);
        (string what, int exitCode) = status switch
        {
            HttpStatusCode.Unauthorized => ("refuses access: give its token, in the variable Hosting__Token. Its answer:", ExitCodes.NoPermission),
            HttpStatusCode.Forbidden => ("refuses access:", ExitCodes.NoPermission),
            HttpStatusCode.BadRequest => ("does not understand:", ExitCodes.Usage),
            HttpStatusCode.NotFound when code == "unknown-route" => ("answered:", ExitCodes.Usage),
            HttpStatusCode.NotFound or HttpStatusCode.Conflict or HttpStatusCode.Gone => ("answered:", ExitCodes.Incomplete),
            _ => ("answered:", ExitCodes.Unavailable),
        };
        return code is not null
            ? new StartupException($"The worker at {Address} {what} {UntrustedText.Shorten(text)} ({(int)status} {UntrustedText.Shorten(code)})", exitCode)
            : exitCode == ExitCodes.NoPermission
            ? new StartupException($"The worker at {Address} {what} {UntrustedText.Shorten(body)}", exitCode)
            : new StartupException($"{Address} answered {(int)status}: is a worker of this version running there?", ExitCodes.Unavailable);
    }

    /// <returns>Code and text of a refusal; nulls where it is not a worker's.</returns>
    private static (string? Code, string? Text) ErrorOf(byte[] body)
    {
        try
        {
            using JsonDocument refusal = JsonDocument.Parse(body);
            return refusal.RootElement.TryGetProperty("error", out JsonElement code) && refusal.RootElement.TryGetProperty("message", out JsonElement text)
                ? (code.GetString(), text.GetString())
                : default;
        }
        catch (Exception exception) when (exception is JsonException or InvalidOperationException)
        {
            return default;
        }
    }

    private async Task<(HttpStatusCode Status, byte[] Body)> SendAsync(HttpMethod method, string path, byte[]? json, CancellationToken cancellationToken)
    {
        using HttpRequestMessage request = new(method, path);
        if (json is not null)
        {
            request.Content = new ByteArrayContent(json) { Headers = { ContentType = new("application/json") } };
        }

        using CancellationTokenSource limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(AnswerLimit);
        try
        {
            using HttpResponseMessage answer = await _client.SendAsync(request, limit.Token);
            return (answer.StatusCode, await answer.Content.ReadAsByteArrayAsync(limit.Token));
        }
        catch (Exception exception) when (exception is HttpRequestException or IOException
            || (exception is TaskCanceledException && !cancellationToken.IsCancellationRequested))
        {
            throw new StartupException(
                limit.IsCancellationRequested && !cancellationToken.IsCancellationRequested
                    ? $"The worker at {Address} did not answer within {DurationText.Of(AnswerLimit)}: it is stuck, or its machine is busy."
                    : $"No worker answers at {Address} ({exception.Message.TrimEnd('.')}). Start one, or give its address with --url.",
                ExitCodes.Unavailable,
                exception);
        }
    }

    public void Dispose() => _client.Dispose();
}
