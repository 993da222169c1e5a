using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Quayside.Messaging.Publishing;

namespace Harness;

/// <summary>
/// Sends the messages of a run as lines that the worker acknowledges: a line without "ok" is an error. Threads: one call at a time.
/// </summary>
internal sealed class LineSender : IMessageSender
{
    private readonly Socket _socket;
    private readonly StreamReader _answers;
    private long _lines;

    private LineSender(Socket socket, IPEndPoint target)
    {
        _socket = socket;
        _answers = new StreamReader(new NetworkStream(socket), Encoding.ASCII);
        Target = target.ToString();
    }

    public string Target { get; }

    public string Accepted => "stored by";

    public int Concurrency => 1;

    // More than a route's default concurrency, so that the route is never idle.
    public int BatchSize => 256;

    /// <param name="endpoint">Where the worker listens.</param>
    /// <param name="cancellationToken">Ends connecting.</param>
    public static async Task<IMessageSender> OpenAsync(string endpoint, CancellationToken cancellationToken)
    {
        IPEndPoint target = IPEndPoint.Parse(endpoint);
        Socket socket = new(target.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
        await socket.ConnectAsync(target, cancellationToken);
        return new LineSender(socket, target);
    }

    public async Task<string?[]> SendAsync(IReadOnlyList<OutgoingMessage> messages, CancellationToken cancellationToken)
    {
        string?[] errors = new string?[messages.Count];
        using MemoryStream lines = new();
        foreach (OutgoingMessage message in messages)
        {
            lines.Write(message.Body.Span);
            lines.WriteByte((byte)'\n');
        }

        long first = _lines + 1;
        _lines += messages.Count;
        ReadOnlyMemory<byte> rest = lines.GetBuffer().AsMemory(0, (int)lines.Length);
        while (!rest.IsEmpty)
        {
            rest = rest[await _socket.SendAsync(rest, SocketFlags.None, cancellationToken)..];
        }

        for (int left = messages.Count; left > 0; left--)
        {
            // "ok 7" or "error 7 reason".
            string answer = await _answers.ReadLineAsync(cancellationToken) ?? throw new IOException("The worker closed the connection.");
            string[] words = answer.Split(' ', 3);
            errors[long.Parse(words[1], CultureInfo.InvariantCulture) - first] = words[0] == "ok" ? null : answer;
        }

        return errors;
    }

    public void Dispose()
    {
        _answers.Dispose();
        _socket.Dispose();
    }
}
