using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Text.Json;

namespace Proof.Kills;

/// <summary>Some kills of workers with one source and one store, followed by a check of every message.</summary>
internal sealed class KillRound(int seed, int kills, KillSource source, KillStore store, Uri sqs, string serviceBus, string azurite)
{
    private const string Unfinished = "unfinished-at-stop";

    private static readonly TimeSpan SettleLimit = TimeSpan.FromMinutes(5);

    private readonly Random _random = new(seed);
    private readonly Ledger _ledger = new(seed);
    private readonly List<string> _failures = [];

    /// <summary>What the check found wrong.</summary>
    public IReadOnlyList<string> Failures => _failures;

    /// <summary>Kills of the round.</summary>
    public int Kills => kills;

    /// <summary>Messages sent.</summary>
    public int Messages => _ledger.Count;

    /// <summary>Kills of a worker that had begun to receive.</summary>
    public int MidStream { get; private set; }

    /// <summary>Source and store.</summary>
    public string Scenario { get; private set; } = string.Empty;

    /// <returns>False when it was stopped before its messages were checked; nothing of it is left then.</returns>
    public async Task<bool> TryRunAsync(CancellationToken stop)
    {
        string folder = Directory.CreateTempSubdirectory("kill-").FullName;
        try
        {
            await RunAsync(folder, stop);
        }
        catch (Exception) when (stop.IsCancellationRequested)
        {
            Directory.Delete(folder, recursive: true);
            return false;
        }

        if (_failures.Count == 0)
        {
            Directory.Delete(folder, recursive: true);
        }
        else
        {
            Console.WriteLine($"round {seed}: its files are kept in {folder}");
        }

        return true;
    }

    private async Task RunAsync(string folder, CancellationToken stop)
    {
        KillSource last = RabbitMqSender.IsInstalled ? KillSource.RabbitMq : KillSource.ServiceBus;
        KillSource drawn = (KillSource)_random.Next((int)KillSource.Sqs, (int)last + 1);
        await using ISender sender = (source == KillSource.Any ? drawn : source) switch
        {
            KillSource.Sqs => await SqsSender.CreateAsync(sqs, seed),
            KillSource.Http => new HttpCallers(FreePort()),
            KillSource.Tcp => new LineSender(FreePort()),
            KillSource.RabbitMq => await RabbitMqSender.CreateAsync(folder, seed),
            _ => await ServiceBusSender.CreateAsync(serviceBus, seed),
        };
        KillStore[] stores = S3Store.Endpoint is null ? [KillStore.Folder, KillStore.AzureBlobs] : [KillStore.Folder, KillStore.AzureBlobs, KillStore.S3];
        KillStore drawnStore = stores[_random.Next(stores.Length)];
        await using IStore kept = (store == KillStore.Any ? drawnStore : store) switch
        {
            KillStore.S3 => await S3Store.CreateAsync(isDirect: _random.Next(2) == 0),
            KillStore.AzureBlobs => await BlobStore.CreateAsync(azurite),
            _ => new FolderStore(Directory.CreateDirectory(Path.Combine(folder, "data")).FullName),
        };
        Scenario = $"{sender.GetType().Name} to {kept.GetType().Name}";
        string deadLetters = Path.Combine(folder, "dead-letters");
        string[] arguments = ["--Hosting:Url=http://127.0.0.1:0", .. sender.Arguments, .. kept.Arguments, $"--DeadLetters:Path={deadLetters}"];

        using CancellationTokenSource sent = new();
        Task sending = sender.SendAsync(_ledger, sent.Token);
        await KillAsync(folder, arguments, sender, stop);
        await sent.CancelAsync();
        await SettleAsync(folder, arguments, sender, stop);
        await sending;
        Check(await kept.ReadAsync(),
            [.. (await sender.ReadDeadLettersAsync()).Select(body => new Letter(string.Empty, body, IsPart: false)), .. Letters(deadLetters)]);
    }

    private async Task KillAsync(string folder, string[] arguments, ISender sender, CancellationToken stop)
    {
        int workers = sender.Workers;
        KilledWorker[] running = [.. Enumerable.Range(0, workers).Select(_ => new KilledWorker(folder, arguments, stop))];
        try
        {
            for (int kill = 0; kill < kills; kill++)
            {
                // One in eight is killed while it starts, the others up to 0.5 s after they begin to receive.
                int victim = _random.Next(workers);
                int delay = _random.Next(500);
                if (_random.Next(8) != 0)
                {
                    bool isReceiving = await running[victim].Receiving;
                    MidStream += isReceiving ? 1 : 0;
                    stop.ThrowIfCancellationRequested();
                    if (!isReceiving)
                    {
                        _failures.Add($"A worker ended by itself:\n{running[victim].Output}");
                    }
                }

                await Task.Delay(delay, stop);
                await running[victim].DisposeAsync();
                running[victim] = new KilledWorker(folder, arguments, stop);
                await sender.KilledAsync(kill + 1);
            }
        }
        finally
        {
            foreach (KilledWorker worker in running)
            {
                await worker.DisposeAsync();
            }
        }
    }

    private async Task SettleAsync(string folder, string[] arguments, ISender sender, CancellationToken stop)
    {
        await using KilledWorker last = new(folder, arguments, stop);
        using CancellationTokenSource limit = new(SettleLimit);
        while (!await sender.IsSettledAsync())
        {
            if (limit.IsCancellationRequested || (last.Receiving.IsCompleted && !await last.Receiving))
            {
                _failures.Add($"Not settled after {SettleLimit.TotalMinutes} minutes:\n{last.Output}");
                return;
            }

            await Task.Delay(100, stop);
        }

        int exitCode = await last.StopAsync();
        if (exitCode != 0)
        {
            _failures.Add($"The last worker ended with {exitCode}:\n{last.Output}");
        }
    }

    private void Check(IReadOnlyDictionary<string, byte[]> objects, IReadOnlyList<Letter> deadLetters)
    {
        // The folder sink recovers the files that a killed worker left unfinished: such a message may exist besides its object, and the
        // kill may have cut its file short, which its record must then say.
        HashSet<string> dead = [.. deadLetters.Where(letter => letter.Reason != Unfinished).Select(letter => Encoding.UTF8.GetString(letter.Body))];
        HashSet<string> sent = [.. _ledger.Entries.Select(entry => Encoding.UTF8.GetString(entry.Body))];
        foreach (Letter letter in deadLetters.Where(letter => letter.Reason == Unfinished))
        {
            bool isKnown = letter.IsPart
                ? _ledger.Entries.Any(entry => entry.Body.Length > letter.Body.Length && entry.Body.AsSpan().StartsWith(letter.Body))
                : sent.Contains(Encoding.UTF8.GetString(letter.Body));
            FailUnless(isKnown, $"a recovered dead letter that was not sent: {letter.Body.Length} bytes{(letter.IsPart ? ", a part" : "")}");
        }

        Dictionary<string, Ledger.Entry> expected = [];
        foreach (Ledger.Entry entry in _ledger.Entries)
        {
            expected.Add(entry.Key, entry);
            if (entry.IsPoison)
            {
                FailUnless(dead.Remove(Encoding.UTF8.GetString(entry.Body)), $"lost: {entry.Id}, poison");
            }
            else
            {
                FailUnless(objects.TryGetValue(entry.Key, out byte[]? stored), $"lost: {entry.Id}");
                FailUnless(stored is null || stored.AsSpan().SequenceEqual(entry.Body), $"other bytes: {entry.Id}");
            }
        }

        foreach (string key in objects.Keys)
        {
            FailUnless(expected.TryGetValue(key, out Ledger.Entry? entry) && !entry.IsPoison, $"an object that was not sent: {key}");
        }

        foreach (string body in dead)
        {
            _failures.Add($"a dead letter that was not sent, or is not poison: {body[..Math.Min(body.Length, 100)]}");
        }
    }

    private void FailUnless(bool condition, string failure)
    {
        if (!condition)
        {
            _failures.Add(failure);
        }
    }

    private static IEnumerable<Letter> Letters(string folder) => Directory.Exists(folder)
        ? Directory
            .EnumerateFiles(folder, "*.body", SearchOption.AllDirectories)
            .Select(file => new Letter(Path.GetRelativePath(folder, file).Split('/')[0], File.ReadAllBytes(file), IsPart(file)))
        : [];

    private static bool IsPart(string body)
    {
        using JsonDocument record = JsonDocument.Parse(File.ReadAllBytes(Path.ChangeExtension(body, ".json")));
        return record.RootElement.TryGetProperty("isPart", out JsonElement isPart) && isPart.GetBoolean();
    }

    private static int FreePort()
    {
        // Below the ephemeral ports, so that no connection of this machine takes it while its worker is dead.
        while (true)
        {
            int port = Random.Shared.Next(10_000, 30_000);
            try
            {
                using TcpListener listener = new(IPAddress.Loopback, port);
                listener.Start();
                return port;
            }
            catch (SocketException)
            {
                // In use.
            }
        }
    }

    public override string ToString() =>
        string.Create(CultureInfo.InvariantCulture, $"round {seed}: {Scenario}, {kills} kills ({MidStream} while receiving), {Messages} messages");

    private sealed record Letter(string Reason, byte[] Body, bool IsPart);
}
