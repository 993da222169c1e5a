using System.Net;
using System.Net.Http.Headers;
using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Http.Web.Api;

/// <summary>
/// This worker and those of <c>Hosting:Peers</c>, from their status API: read when a caller asks, and then at most every two seconds for all who ask.
/// Nothing else is requested than that path of the configured addresses. Threads: any.
/// </summary>
internal sealed class PeerWorkers : IDisposable
{
    /// <summary>The maximum number of addresses.</summary>
    public const int Max = 64;

    private const int MaxAnswerBytes = 1 << 20;

    private static readonly TimeSpan Fresh = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(2);

    private readonly Uri[] _peers;
    private readonly WorkerStats _own;
    private readonly TimeProvider _time;
    private readonly HttpClient _client;
    private readonly SemaphoreSlim _gate = new(1);

    // The state before, by address, for the rates. Under the gate.
    private Dictionary<string, WorkerState> _before = new(StringComparer.Ordinal);
    private PeersState? _made;
    private long _madeAt;

    public PeerWorkers(WebOptions options, WorkerStats own, TimeProvider time)
    {
        _peers = [.. options.Peers.Select(static peer => WebOptions.TryReadPeer(peer, out Uri? address) ? address : null).OfType<Uri>()];
        _own = own;
        _time = time;

        // No proxy and no redirect: either could send the token elsewhere.
        _client = new HttpClient(new SocketsHttpHandler { UseProxy = false, AllowAutoRedirect = false, UseCookies = false, ConnectTimeout = Limit, MaxConnectionsPerServer = 1 })
        {
            MaxResponseContentBufferSize = MaxAnswerBytes,
            Timeout = Timeout.InfiniteTimeSpan,
        };
        if (!string.IsNullOrEmpty(options.PeerToken))
        {
            _client.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", options.PeerToken);
        }
    }

    public void Dispose()
    {
        _client.Dispose();
        _gate.Dispose();
    }

    /// <summary><c>GET /api/v1/peers</c>.</summary>
    public async Task HandleAsync(HttpContext context)
    {
        PeersState state;
        await _gate.WaitAsync(context.RequestAborted);
        try
        {
            if (_made is null || _time.GetElapsedTime(_madeAt) >= Fresh)
            {
                // Not this caller's token: the others wait for the same answers.
                _made = await ReadAsync();
                _madeAt = _time.GetTimestamp();
            }

            state = _made;
        }
        finally
        {
            _gate.Release();
        }

        await ApiJson.SendAsync(context, state, ApiJson.Readable.PeersState);
    }

    private async Task<PeersState> ReadAsync()
    {
        if (_peers.Length == 0)
        {
            return new PeersState([], 0, 0, 0);
        }

        (Uri Address, string? Error)[][] resolved = await Task.WhenAll(_peers.Select(ResolveAsync));
        (Uri Address, string? Error)[] addresses = [.. resolved.SelectMany(static found => found).DistinctBy(static peer => peer.Address).Take(Max)];
        List<(string Address, WorkerState? State, string? Error)> read = [.. await Task.WhenAll(addresses.Select(peer => peer.Error is { } error ? Task.FromResult((peer.Address.Authority, (WorkerState?)null, (string?)error)) : ReadAsync(peer.Address)))];
        WorkerState own = _own.Get().State;
        if (!read.Exists(peer => peer.State is { } state && state.Machine == own.Machine && state.Process == own.Process && state.StartedAt == own.StartedAt))
        {
            read.Insert(0, ("this worker", own, null));
        }

        PeerState[] peers = [.. read.Select(peer => Describe(peer.Address, peer.State, peer.Error))];
        _before = read.Where(static peer => peer.State is not null).ToDictionary(static peer => peer.Address, static peer => peer.State!, StringComparer.Ordinal);
        return new PeersState(peers, peers.Sum(static peer => peer.ReceivedPerSecond ?? 0), peers.Sum(static peer => peer.DonePerSecond ?? 0), peers.Count(static peer => peer.Error is not null));
    }

    /// <summary>The addresses of a name, such as the pods of a headless service; an address itself.</summary>
    private static async Task<(Uri Address, string? Error)[]> ResolveAsync(Uri peer)
    {
        if (peer.HostNameType != UriHostNameType.Dns)
        {
            return [(peer, null)];
        }

        try
        {
            using CancellationTokenSource limit = new(Limit);
            IPAddress[] found = await Dns.GetHostAddressesAsync(peer.DnsSafeHost, limit.Token);
            return [.. found.OrderBy(static address => address.ToString(), StringComparer.Ordinal).Select(address => (new Uri($"http://{new IPEndPoint(address, peer.Port)}"), (string?)null))];
        }
        catch (Exception exception) when (exception is System.Net.Sockets.SocketException or OperationCanceledException)
        {
            return [(peer, $"its name cannot be resolved ({UntrustedText.Shorten(exception.Message)})")];
        }
    }

    private async Task<(string Address, WorkerState? State, string? Error)> ReadAsync(Uri address)
    {
        using CancellationTokenSource limit = new(Limit, _time);
        try
        {
            using HttpResponseMessage answer = await _client.GetAsync(new Uri(address, "/api/v1/stats"), limit.Token);
            return answer.StatusCode switch
            {
                HttpStatusCode.OK => (address.Authority, Parse(await answer.Content.ReadAsByteArrayAsync(limit.Token)), null),
                HttpStatusCode.Unauthorized or HttpStatusCode.Forbidden => (address.Authority, null, $"it refuses access ({(int)answer.StatusCode}): Hosting:PeerToken must be its Hosting:Token"),
                _ => (address.Authority, null, $"it answers {(int)answer.StatusCode}: is a worker running there?"),
            };
        }
        catch (OperationCanceledException)
        {
            return (address.Authority, null, $"no answer within {DurationText.Of(Limit)}");
        }
        catch (HttpRequestException exception)
        {
            return (address.Authority, null, $"no answer ({UntrustedText.Shorten(exception.Message)})");
        }
        catch (Exception exception) when (exception is JsonException or NotSupportedException)
        {
            return (address.Authority, null, "its answer is not a worker's state");
        }
    }

    private static WorkerState Parse(ReadOnlySpan<byte> json) =>
        JsonSerializer.Deserialize(json, ApiJson.Readable.WorkerState) is { Machine: not null, Routes: { } routes } state && routes.All(static route => route is { Name: not null, Breaker: not null })
            ? state : throw new JsonException("Not a worker's state.");

    private PeerState Describe(string address, WorkerState? state, string? error)
    {
        if (state is null)
        {
            return new PeerState(address, error ?? "no answer", null, null, null, null, null, null, null, null, []);
        }

        WorkerState? before = _before.GetValueOrDefault(address) is { } last && last.StartedAt == state.StartedAt && last.Process == state.Process ? last : null;
        double? seconds = before is not null && state.Time > before.Time ? (state.Time - before.Time).TotalSeconds : null;
        double? Rate(Func<RouteState, long> count) =>
            seconds is { } elapsed ? ApiJson.Rounded(Math.Max(0, state.Routes.Sum(count) - before!.Routes.Sum(count)) / elapsed) : null;
        return new PeerState(
            address,
            null,
            UntrustedText.Shorten(state.Machine),
            UntrustedText.Shorten(state.Version),
            state.StartedAt,
            !state.Stopping && state.Routes.All(static route => route.Ready),
            Rate(static route => route.Received),
            Rate(static route => route.Done),
            state.Routes.Sum(static route => route.InFlight),
            state.WaitingDeadLetters?.Count,
            [.. state.Routes.Where(static route => !route.Ready || route.Pause is not null).Select(static route => $"route {UntrustedText.Shorten(route.Name)} {Fault(route)}"), .. state.Stopping ? ["it is stopping"] : (string[])[]]);
    }

    private static string Fault(RouteState route) => route switch
    {
        { Stuck: true } => "is stuck",
        { Breaker.State: not "closed" } => $"fails: {UntrustedText.Shorten(route.Breaker.LastFailure)}",
        { Problem: { } problem } => $"fails: {UntrustedText.Shorten(problem)}",
        { Pause: not null } => "is paused",
        _ => "does not receive",
    };
}
