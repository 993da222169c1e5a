using System.Globalization;
using System.Net;

namespace Proof.Kills;

/// <summary>Callers over HTTP: each sends a message again until it is answered 200 or 422.</summary>
internal sealed class HttpCallers : ISender
{
    private const int Callers = 16;

    private readonly HttpClient _http = new(new SocketsHttpHandler { ConnectTimeout = TimeSpan.FromSeconds(5) }) { Timeout = TimeSpan.FromSeconds(60) };
    private readonly Uri _address;
    private int _unsettled;
    private string? _surprise;

    public HttpCallers(int port)
    {
        string url = string.Create(CultureInfo.InvariantCulture, $"http://127.0.0.1:{port}");
        _address = new Uri($"{url}/messages");
        Arguments = ["--Routes:archive:Source=Http", $"--Hosting:Url={url}"];
    }

    public IReadOnlyList<string> Arguments { get; }

    public int Workers => 1;

    public Task SendAsync(Ledger ledger, CancellationToken stop) => Task.WhenAll(Enumerable.Range(0, Callers).Select(async _ =>
    {
        while (!stop.IsCancellationRequested)
        {
            await SendAsync(ledger.Next());
        }
    }));

    public Task<bool> IsSettledAsync() =>
        _surprise is null ? Task.FromResult(Volatile.Read(ref _unsettled) == 0) : throw new InvalidOperationException(_surprise);

    public Task<IReadOnlyList<byte[]>> ReadDeadLettersAsync() => Task.FromResult<IReadOnlyList<byte[]>>([]);

    public ValueTask DisposeAsync()
    {
        _http.Dispose();
        return ValueTask.CompletedTask;
    }

    private async Task SendAsync(Ledger.Entry entry)
    {
        Interlocked.Increment(ref _unsettled);
        while (true)
        {
            try
            {
                using ByteArrayContent content = new(entry.Body);
                content.Headers.ContentType = new("application/json");
                using HttpResponseMessage response = await _http.PostAsync(_address, content);
                string answer = await response.Content.ReadAsStringAsync();
                if (response.StatusCode is HttpStatusCode.OK or HttpStatusCode.UnprocessableEntity)
                {
                    bool isStored = response.StatusCode == HttpStatusCode.OK;
                    _surprise ??= isStored == entry.IsPoison ? $"{entry.Id} (poison: {entry.IsPoison}) was answered {answer}" : null;
                    Interlocked.Decrement(ref _unsettled);
                    return;
                }
            }
            catch (HttpRequestException)
            {
                // The worker was killed, or has not started yet.
            }

            await Task.Delay(20);
        }
    }
}
