using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Integration.Tests.Worker;

/// <summary>A sender that keeps each line until it is acknowledged; shares no code with the worker.</summary>
internal sealed class TcpLinesSender : IAsyncDisposable
{
    private readonly TcpClient _client = new() { NoDelay = true };
    private readonly ConcurrentDictionary<long, ArchiveMessage> _unanswered = new();
    private readonly ConcurrentBag<ArchiveMessage> _stored = [];
    private readonly ConcurrentBag<string> _errors = [];
    private Task _reading = Task.CompletedTask;
    private long _line;

    /// <summary>Messages answered with ok.</summary>
    public IReadOnlyCollection<ArchiveMessage> Stored => _stored;

    /// <summary>Answers that were errors.</summary>
    public IReadOnlyCollection<string> Errors => _errors;

    /// <summary>Messages without any answer.</summary>
    public IReadOnlyCollection<ArchiveMessage> Unanswered => [.. _unanswered.Values];

    /// <summary>Completes when the worker has ended the connection.</summary>
    public Task Ended => _reading;

    public async Task ConnectAsync(IPEndPoint endpoint)
    {
        await _client.ConnectAsync(endpoint);
        _reading = Task.Run(ReadAsync);
    }

    /// <summary>Sends a message; false once the connection is over.</summary>
    public async Task<bool> SendAsync(ArchiveMessage message)
    {
        _unanswered[++_line] = message;
        try
        {
            await _client.GetStream().WriteAsync((byte[])[.. message.Body, (byte)'\n']);
            return true;
        }
        catch (Exception exception) when (exception is IOException or ObjectDisposedException or InvalidOperationException)
        {
            return false;
        }
    }

    /// <summary>Closes its sending half and keeps reading answers.</summary>
    public void EndSending() => _client.Client.Shutdown(SocketShutdown.Send);

    public async ValueTask DisposeAsync()
    {
        _client.Dispose();
        await _reading;
    }

    private async Task ReadAsync()
    {
        using StreamReader reader = new(_client.GetStream(), Encoding.ASCII);
        try
        {
            while (await reader.ReadLineAsync() is { } answer)
            {
                string[] words = answer.Split(' ');
                _unanswered.TryRemove(long.Parse(words[1]), out ArchiveMessage? message).ShouldBeTrue($"'{answer}' is the answer to no line that waits for one.");
                if (words[0] == "ok")
                {
                    _stored.Add(message!);
                }
                else
                {
                    _errors.Add(answer);
                }
            }
        }
        catch (Exception exception) when (exception is IOException or ObjectDisposedException)
        {
            // Killed, or disposed by the test.
        }
    }
}
