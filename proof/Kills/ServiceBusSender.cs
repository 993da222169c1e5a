using System.Globalization;
using System.Net.Http.Json;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using Azure.Messaging.ServiceBus;

namespace Proof.Kills;

/// <summary>A queue of the emulator of Azure Service Bus, shared by two workers. Messages are sent and dead letters read by the official client.</summary>
internal sealed partial class ServiceBusSender : ISender
{
    private const int Waiting = 300;

    // A limit so high that the queue never dead-letters a message itself: only the workers do.
    private const int MaxDeliveryCount = 1_000;

    private readonly HttpClient _control;
    private readonly ServiceBusClient _client;
    private readonly string _name;
    private readonly bool _sessions;

    private ServiceBusSender(Uri control, string connectionString, string name, bool sessions)
    {
        _control = new HttpClient { BaseAddress = control };
        _client = new ServiceBusClient(connectionString);
        _name = name;
        _sessions = sessions;
        Arguments =
        [
            "--Routes:archive:Source=ServiceBus", $"--Sources:ServiceBus:ConnectionString={connectionString}", $"--Sources:ServiceBus:Queue={name}",
            string.Create(CultureInfo.InvariantCulture, $"--Sources:ServiceBus:MaxDeliveryCount={MaxDeliveryCount}"),
            $"--Sources:ServiceBus:Sessions={sessions}",
        ];
    }

    public IReadOnlyList<string> Arguments { get; }

    public int Workers => 2;

    /// <param name="ready">The line that the emulator printed.</param>
    /// <param name="seed">The round's seed: names the queue, which has sessions in every second one.</param>
    public static async Task<ServiceBusSender> CreateAsync(string ready, int seed)
    {
        Match addresses = Addresses().Match(ready);
        string name = string.Create(CultureInfo.InvariantCulture, $"kill-{seed}");
        ServiceBusSender sender = new(new Uri(addresses.Groups["control"].Value), addresses.Groups["connection"].Value, name, sessions: seed % 2 == 0);

        // A killed worker's messages are redelivered when their locks end.
        using HttpResponseMessage declared = await sender._control.PutAsJsonAsync(
            $"entities/{name}", new JsonObject { ["LockDuration"] = "PT10S", ["MaxDeliveryCount"] = MaxDeliveryCount, ["RequiresSession"] = sender._sessions });
        declared.EnsureSuccessStatusCode();
        return sender;
    }

    public async Task SendAsync(Ledger ledger, CancellationToken stop)
    {
        await using Azure.Messaging.ServiceBus.ServiceBusSender sender = _client.CreateSender(_name);
        while (!stop.IsCancellationRequested)
        {
            if (await CountAsync("active") >= Waiting)
            {
                await Task.Delay(50, CancellationToken.None);
                continue;
            }

            await sender.SendMessagesAsync(
                Enumerable
                    .Range(0, 10)
                    .Select(_ => ledger.Next())
                    .Select(entry => new ServiceBusMessage(entry.Body) { MessageId = entry.Id, SessionId = _sessions ? $"{entry.Id[^1]}" : null }),
                    CancellationToken.None);
        }
    }

    public async Task<bool> IsSettledAsync() => await CountAsync("active", "locked") == 0;

    public async Task<IReadOnlyList<byte[]>> ReadDeadLettersAsync()
    {
        await using ServiceBusReceiver receiver = _client.CreateReceiver(_name, new ServiceBusReceiverOptions { SubQueue = SubQueue.DeadLetter });
        List<byte[]> bodies = [];
        long next = 0;
        while (true)
        {
            IReadOnlyList<ServiceBusReceivedMessage> letters = await receiver.PeekMessagesAsync(100, next);
            if (letters.Count == 0)
            {
                return bodies;
            }

            bodies.AddRange(letters.Select(letter => letter.Body.ToArray()));
            next = letters[^1].SequenceNumber + 1;
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _client.DisposeAsync();
        _control.Dispose();
    }

    private async Task<int> CountAsync(params string[] states)
    {
        JsonNode queue = JsonNode.Parse(await _control.GetStringAsync($"entities/{_name}"))!;
        return states.Sum(state => (int)queue[state]!);
    }

    [GeneratedRegex(@"listening on (?<connection>\S+); control on (?<control>\S+)")]
    private static partial Regex Addresses();
}
