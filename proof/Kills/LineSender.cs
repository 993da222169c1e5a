using System.Collections.Concurrent;
using System.Globalization;
using System.Net;
using System.Net.Sockets;

namespace Proof.Kills;

/// <summary>A sender of lines over TCP with acknowledgements: a line without an answer when the connection ends is sent again on the next one.</summary>
internal sealed class LineSender : ISender
{
    private const int Window = 200;

    private readonly IPEndPoint _endpoint;
    private readonly ConcurrentQueue<Ledger.Entry> _again = new();
    private int _unsettled;
    private string? _surprise;

    public LineSender(int port)
    {
        _endpoint = new IPEndPoint(IPAddress.Loopback, port);
        Arguments = [
            "--Routes:archive:Source=TcpLines", "--Hosting:Url=http://127.0.0.1:0", $"--Sources:TcpLines:Endpoint={_endpoint}",
            "--Sources:TcpLines:Acknowledge=true"];
    }

    public IReadOnlyList<string> Arguments { get; }

    public int Workers => 1;

    public async Task SendAsync(Ledger ledger, CancellationToken stop)
    {
        while (!stop.IsCancellationRequested || Volatile.Read(ref _unsettled) > 0)
        {
            ConcurrentDictionary<long, Ledger.Entry> unanswered = [];
            try
            {
                using TcpClient client = new() { NoDelay = true };
                await client.ConnectAsync(_endpoint, CancellationToken.None);

                // Throws an IOException when the worker has been killed since, which GetStream does not.
                await using NetworkStream stream = new(client.Client);
                Task reading = ReadAsync(stream, unanswered);
                await WriteAsync(stream, ledger, unanswered, reading, stop);
                client.Client.Shutdown(SocketShutdown.Send);
                await reading;
            }
            catch (Exception exception) when (exception is IOException or SocketException)
            {
                // The worker was killed, or has not started yet.
                await Task.Delay(20, CancellationToken.None);
            }

            foreach (Ledger.Entry entry in unanswered.Values)
            {
                _again.Enqueue(entry);
            }
        }
    }

    public Task<bool> IsSettledAsync() =>
        _surprise is null ? Task.FromResult(Volatile.Read(ref _unsettled) == 0) : throw new InvalidOperationException(_surprise);

    public Task<IReadOnlyList<byte[]>> ReadDeadLettersAsync() => Task.FromResult<IReadOnlyList<byte[]>>([]);

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    private async Task WriteAsync(
        NetworkStream stream, Ledger ledger, ConcurrentDictionary<long, Ledger.Entry> unanswered, Task reading, CancellationToken stop)
    {
        long line = 0;
        while (!reading.IsCompleted)
        {
            bool isNew = false;
            if (unanswered.Count >= Window || (!_again.TryDequeue(out Ledger.Entry? entry) && !(isNew = !stop.IsCancellationRequested)))
            {
                if (stop.IsCancellationRequested && unanswered.IsEmpty && _again.IsEmpty)
                {
                    return;
                }

                await Task.Delay(5, CancellationToken.None);
                continue;
            }

            if (isNew)
            {
                entry = ledger.Next();
                Interlocked.Increment(ref _unsettled);
            }

            unanswered[++line] = entry!;
            await stream.WriteAsync((byte[])[.. entry!.Body, (byte)'\n'], CancellationToken.None);
        }
    }

    private async Task ReadAsync(NetworkStream stream, ConcurrentDictionary<long, Ledger.Entry> unanswered)
    {
        using StreamReader reader = new(stream, leaveOpen: true);
        try
        {
            while (await reader.ReadLineAsync() is { } answer)
            {
                // "ok n", or "error n reason"; the last line of a killed worker may be cut.
                string[] words = answer.Split(' ');
                if (words.Length < 2
                    || !long.TryParse(words[1], CultureInfo.InvariantCulture, out long line)
                    || (words[0] != "ok" && words.Length < 3)
                    || words[^1] == "stopping")
                {
                    continue;
                }

                if (unanswered.TryRemove(line, out Ledger.Entry? entry))
                {
                    _surprise ??= (words[0] == "ok") == entry.IsPoison ? $"{entry.Id} (poison: {entry.IsPoison}) was answered {answer}" : null;
                    Interlocked.Decrement(ref _unsettled);
                }
            }
        }
        catch (IOException)
        {
            // The worker was killed.
        }
    }
}
