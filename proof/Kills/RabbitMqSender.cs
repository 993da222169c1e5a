using System.Diagnostics;
using System.Globalization;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

namespace Proof.Kills;

/// <summary>
/// A quorum queue of a real broker, shared by two workers. The broker is the round's own: after every tenth kill of a worker it is killed too,
/// and started again.
/// </summary>
internal sealed class RabbitMqSender : ISender
{
    private const int Waiting = 300;
    private const int KillsPerRestart = 10;

    private readonly string _folder;
    private readonly string _name;
    private readonly Uri _address;
    private IConnection? _connection;
    private IChannel? _channel;

    private RabbitMqSender(string folder, string name, Uri address)
    {
        _folder = folder;
        _name = name;
        _address = address;
        Arguments =
            ["--Routes:archive:Source=RabbitMq", $"--Sources:RabbitMq:Uri={address}", $"--Sources:RabbitMq:Queue={name}", "--Sources:RabbitMq:Declare=true"];
    }

    /// <summary>True when Debian's rabbitmq-server is installed.</summary>
    public static bool IsInstalled => File.Exists("/usr/lib/rabbitmq/bin/rabbitmq-server");

    public IReadOnlyList<string> Arguments { get; }

    public int Workers => 2;

    private string DeadLetters => $"{_name}.dead-letters";

    /// <param name="folder">A folder of the round.</param>
    /// <param name="seed">The round's seed: names the queue.</param>
    public static async Task<RabbitMqSender> CreateAsync(string folder, int seed)
    {
        string broker = Path.Combine(folder, "rabbitmq");
        string ready = await RunAsync("up", broker);
        RabbitMqSender sender = new(
            broker, string.Create(CultureInfo.InvariantCulture, $"kill-{seed}"), new Uri(ready[(ready.IndexOf('=', StringComparison.Ordinal) + 1)..].Trim()));
        IChannel channel = await sender.OpenAsync();
        foreach (string queue in (string[])[sender._name, sender.DeadLetters])
        {
            // A limit so high that the queue never drops a message itself.
            Dictionary<string, object?> quorum = new(StringComparer.Ordinal) { ["x-queue-type"] = "quorum", ["x-delivery-limit"] = 1_000 };
            await channel.QueueDeclareAsync(queue, durable: true, exclusive: false, autoDelete: false, quorum);
        }

        return sender;
    }

    public async Task SendAsync(Ledger ledger, CancellationToken stop)
    {
        while (!stop.IsCancellationRequested)
        {
            if (await AskAsync(channel => channel.MessageCountAsync(_name)) >= Waiting)
            {
                await Task.Delay(20, CancellationToken.None);
                continue;
            }

            // Sent again until it is confirmed: the broker may have a message of a broken connection, or not.
            Ledger.Entry[] entries = [.. Enumerable.Range(0, 20).Select(_ => ledger.Next())];
            await AskAsync(async channel =>
            {
                await Task.WhenAll(
                    entries.Select(
                        entry => channel
                            .BasicPublishAsync(
                                string.Empty, _name, mandatory: true, new BasicProperties { MessageId = entry.Id, Persistent = true }, entry.Body)
                            .AsTask()));
                return entries.Length;
            });
        }
    }

    public async Task KilledAsync(int kill)
    {
        if (kill % KillsPerRestart == 0)
        {
            await RunAsync("restart", _folder);
        }
    }

    // AMQP shows only those that wait; the broker's own command shows also those that a worker has.
    public async Task<bool> IsSettledAsync() =>
        await AskAsync(channel => channel.MessageCountAsync(_name)) == 0
        && (await RunAsync("ctl", _folder, "list_queues", "--no-table-headers", "name", "messages")).Split('\n').Any(line => line.Trim() == $"{_name}\t0");

    public async Task<IReadOnlyList<byte[]>> ReadDeadLettersAsync()
    {
        List<byte[]> bodies = [];
        while (await AskAsync(channel => channel.BasicGetAsync(DeadLetters, autoAck: false)) is { } letter)
        {
            bodies.Add(letter.Body.ToArray());
        }

        return bodies;
    }

    public async ValueTask DisposeAsync()
    {
        await EndAsync();
        await RunAsync("down", _folder);
    }

    /// <summary>Repeats a call until it succeeds, over a new connection each time.</summary>
    private async Task<T> AskAsync<T>(Func<IChannel, Task<T>> call)
    {
        while (true)
        {
            try
            {
                return await call(await OpenAsync());
            }
            catch (Exception exception) when (exception is RabbitMQClientException or IOException or ObjectDisposedException or OperationCanceledException
                or TimeoutException)
            {
                await EndAsync();
                await Task.Delay(200);
            }
        }
    }

    private async Task<IChannel> OpenAsync()
    {
        if (_connection is not { IsOpen: true } || _channel is not { IsOpen: true })
        {
            await EndAsync();
            _connection = await new ConnectionFactory { Uri = _address, AutomaticRecoveryEnabled = false }.CreateConnectionAsync();
            _channel =
                await _connection.CreateChannelAsync(new CreateChannelOptions(publisherConfirmationsEnabled: true, publisherConfirmationTrackingEnabled: true));
        }

        return _channel;
    }

    // Not by Dispose, which blocks the only thread of this program's pool.
    private async Task EndAsync()
    {
        if (_connection is { } connection)
        {
            _connection = null;
            await connection.DisposeAsync();
        }
    }

    private static async Task<string> RunAsync(params string[] arguments)
    {
        using Process script = Process.Start(
            new ProcessStartInfo(Path.Combine("tests", "servers", "rabbitmq"), arguments) { UseShellExecute = false, RedirectStandardOutput = true })!;
        string output = await script.StandardOutput.ReadToEndAsync();
        await script.WaitForExitAsync();
        return script.ExitCode == 0 ? output : throw new InvalidOperationException($"tests/servers/rabbitmq {arguments[0]} ended with {script.ExitCode}.");
    }
}
