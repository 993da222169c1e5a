using System.Globalization;
using System.Net.Http.Json;
using System.Text.Json;
using Benchmarks.EndToEnd.Clients;
using Benchmarks.EndToEnd.Server;

namespace Benchmarks.EndToEnd;

/// <summary>
/// Measures every client on the same work against one server. All clients of a row's concurrency run at the same time, each waiting
/// at its own queue, and take turns, so that any disturbance of the machine affects them alike.
/// </summary>
internal sealed class EndToEndRun : IDisposable
{
    // Tiered compilation needs time as well as calls: rounds continue until two in a row cost the same.
    private const int MinWarmUps = 4;
    private const int MaxWarmUps = 12;
    private const double WarmAgreement = 0.05;

    // Short compared with a pass, so that the last message's wait for the next poll does not show.
    private static readonly TimeSpan Poll = TimeSpan.FromMilliseconds(10);

    private static readonly TimeSpan StallLimit = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan AnswerLimit = TimeSpan.FromSeconds(60);

    // The worker turns concurrent collection off; the twins get the same.
    private static readonly (string Name, string Value)[] ClientEnvironment = [("DOTNET_gcConcurrent", "0")];

    // The other setting of the worker's runtimeconfig.json; the twins run with .NET's defaults.
    private static readonly (string Name, string Value)[] WorkerEnvironment = [.. ClientEnvironment, ("DOTNET_ThreadPool_UnfairSemaphoreSpinLimit", "0")];

    // One thread serves, so that the server never uses more than one core of the machine.
    private static readonly (string Name, string Value)[] ServerEnvironment =
        [("DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS", "1"), ("DOTNET_SYSTEM_NET_SOCKETS_THREAD_COUNT", "1"), ("DOTNET_gcConcurrent", "0")];

    private readonly EndToEndOptions _options;
    private readonly TextWriter _log;
    private readonly ChildProcess _server;
    private readonly HttpClient _http = new();
    private Uri _endpoint = new("http://127.0.0.1");

    public EndToEndRun(EndToEndOptions options, TextWriter log)
    {
        _options = options;
        _log = log;
        _server = ChildProcess.Start(ServerProcess.Arguments(options.PutMilliseconds), ServerEnvironment);
    }

    /// <returns>The rows by concurrency, then those by number of messages.</returns>
    /// <exception cref="InvalidOperationException">A client lost, damaged or duplicated a message, or stopped.</exception>
    public async Task<(IReadOnlyList<EndToEndRow> ByInFlight, IReadOnlyList<EndToEndRow> BySize)> RunAsync(CancellationToken cancellationToken)
    {
        _endpoint = new Uri($"http://127.0.0.1:{await _server.ReadLineAsync(AnswerLimit, cancellationToken)}");
        List<EndToEndRow> byInFlight = [];
        List<EndToEndRow> bySize = [];
        foreach (int inFlight in _options.InFlight.Union(_options.Sizes.Count > 0 ? [EndToEndOptions.SizesInFlight] : []).Order())
        {
            Dictionary<ClientKind, ChildProcess> clients = [];
            try
            {
                foreach (ClientKind kind in _options.Clients)
                {
                    clients[
                        kind] = ChildProcess.Start(
                            ClientProcess.Arguments(new ClientSettings(kind, _endpoint, QueueOf(kind, inFlight), inFlight, _options.Bundle)),
                            EnvironmentOf(kind));
                    await WarmUpAsync(clients[kind], kind, inFlight, cancellationToken);
                }

                if (_options.InFlight.Contains(inFlight))
                {
                    byInFlight.AddRange(await MeasureAsync(clients, inFlight, _options.Messages, _options.Passes, cancellationToken));
                }

                if (inFlight == EndToEndOptions.SizesInFlight)
                {
                    foreach (int size in _options.Sizes)
                    {
                        // Small passes last only milliseconds, so there are more of them.
                        int passes = size <= 10_000 ? _options.Passes * 3 : size <= 100_000 ? _options.Passes : 1;
                        bySize.AddRange(await MeasureAsync(clients, inFlight, size, passes, cancellationToken));
                    }
                }
            }
            finally
            {
                foreach (ChildProcess client in clients.Values)
                {
                    client.Dispose();
                }
            }
        }

        return (byInFlight, bySize);
    }

    public void Dispose()
    {
        _server.Dispose();
        _http.Dispose();
    }

    private async Task WarmUpAsync(ChildProcess client, ClientKind kind, int inFlight, CancellationToken cancellationToken)
    {
        double last = double.MaxValue;
        for (int round = 1; round <= MaxWarmUps; round++)
        {
            EndToEndRow row = await PassAsync(client, kind, inFlight, _options.WarmUp, cancellationToken);
            bool agrees = Math.Abs(row.CpuMicroseconds - last) <= WarmAgreement * last;
            last = row.CpuMicroseconds;
            if (round >= MinWarmUps && agrees)
            {
                break;
            }
        }

        _log.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{kind}, {inFlight} in flight: warm at {last:F1} us per message"));
    }

    private async Task<IEnumerable<EndToEndRow>> MeasureAsync(
        Dictionary<ClientKind, ChildProcess> clients, int inFlight, int messages, int passes, CancellationToken cancellationToken)
    {
        Dictionary<ClientKind, List<EndToEndRow>> rows = clients.Keys.ToDictionary(kind => kind, _ => new List<EndToEndRow>());
        for (int pass = 0; pass < passes; pass++)
        {
            foreach ((ClientKind kind, ChildProcess client) in clients)
            {
                rows[kind].Add(await PassAsync(client, kind, inFlight, messages, cancellationToken));
            }
        }

        EndToEndRow[] medians = [
            .. rows.Values.Select(
                of => of
                    .OrderBy(row => row.CpuMicroseconds)
                    .ElementAt(of.Count / 2) with { Passes = of.Count, PeakMiB = of[^1].PeakMiB,
                        CpuMicrosecondsOfPasses = [.. of.Select(row => row.CpuMicroseconds)] })];
        foreach (EndToEndRow row in medians)
        {
            _log.WriteLine(
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"{row.Client}, {inFlight} in flight, {messages} messages: {row.MessagesPerSecond:N0} messages/s, "
                        + $"{row.CpuMicroseconds:F1} us, {row.Bytes:N0} B per message"));
        }

        return medians;
    }

    private async Task<EndToEndRow> PassAsync(ChildProcess client, ClientKind kind, int inFlight, int messages, CancellationToken cancellationToken)
    {
        string queue = QueueOf(kind, inFlight);
        ClientSample before = await SampleAsync(client, cancellationToken);
        using (HttpResponseMessage filled = await _http.GetAsync(new Uri(_endpoint, $"/control/fill/{queue}/{messages}"), cancellationToken))
        {
            filled.EnsureSuccessStatusCode();
        }

        QueueTotals totals = await WaitAsync(client, queue, cancellationToken);
        ClientSample used = (await SampleAsync(client, cancellationToken)).Since(before);
        if (totals.Stored != messages || totals.Wrong != 0)
        {
            throw new InvalidOperationException(
                $"{kind} with {inFlight} in flight: of {messages} messages {totals.Stored} are stored as sent, {totals.Wrong} wrongly.");
        }

        return new EndToEndRow(
            kind,
            inFlight,
            messages,
            Passes: 1,
            messages / totals.Seconds,
            used.CpuSeconds * 1e6 / messages,
            (double)used.Bytes / messages,
            used.Gen0,
            used.Gen1,
            used.Gen2,
            used.PauseSeconds * 1_000,
            totals.P50,
            totals.P99,
            (totals.Receives + totals.DeleteCalls) * 1_000.0 / messages,
            client.Memory.PeakMiB,
            [used.CpuSeconds * 1e6 / messages]);
    }

    private async Task<QueueTotals> WaitAsync(ChildProcess client, string queue, CancellationToken cancellationToken)
    {
        int last = -1;
        DateTime changed = DateTime.UtcNow;
        while (true)
        {
            QueueTotals totals =
                (await _http.GetFromJsonAsync(new Uri(_endpoint, $"/control/totals/{queue}"), EndToEndJson.Default.QueueTotals, cancellationToken))!;
            if (totals.Deleted == totals.Messages)
            {
                return totals;
            }

            if (client.HasExited)
            {
                throw new InvalidOperationException($"The client of {queue} ended at {totals.Deleted} of {totals.Messages} messages; its errors are above.");
            }

            if (totals.Deleted != last)
            {
                last = totals.Deleted;
                changed = DateTime.UtcNow;
            }
            else if (DateTime.UtcNow - changed > StallLimit)
            {
                throw new InvalidOperationException($"{queue} stopped at {totals.Deleted} of {totals.Messages} messages.");
            }

            await Task.Delay(Poll, cancellationToken);
        }
    }

    private static async Task<ClientSample> SampleAsync(ChildProcess client, CancellationToken cancellationToken)
    {
        string line = await client.AskAsync(AnswerLimit, cancellationToken);

        // The worker's log, of a warning on a busy machine, goes to the same output.
        while (!line.StartsWith('{'))
        {
            await Console.Error.WriteLineAsync(line);
            line = await client.ReadLineAsync(AnswerLimit, cancellationToken);
        }

        return JsonSerializer.Deserialize(line, EndToEndJson.Default.ClientSample)!;
    }

    private static (string Name, string Value)[] EnvironmentOf(ClientKind kind) => kind.IsWorker() ? WorkerEnvironment : ClientEnvironment;

    private static string QueueOf(ClientKind kind, int inFlight) => string.Create(CultureInfo.InvariantCulture, $"{kind}-{inFlight}");
}
