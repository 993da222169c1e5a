using System.Net;
using System.Net.Sockets;
using Messaging.Hosting;
using Messaging.Publishing;

namespace Messaging.Sockets.Udp;

/// <summary>Sends messages as datagrams to where <c>Sources:Udp</c> says the worker receives, with the checksum it wants. Datagrams are not answered.</summary>
internal sealed class UdpSender : IMessageSender
{
    private readonly Socket _socket;
    private readonly bool _withChecksum;

    private UdpSender(Socket socket, bool withChecksum, string target)
    {
        _socket = socket;
        _withChecksum = withChecksum;
        Target = target;
    }

    public string Target { get; }

    public string Accepted => "sent as datagrams (without an answer) to";

    public int Concurrency => 1;

    public int BatchSize => 64;

    // Set once this machine says that the port has no receiver: the rest is not tried one by one.
    public string? Problem { get; private set; }

    /// <exception cref="StartupException">The endpoint names no port.</exception>
    public static UdpSender Open(UdpSourceOptions options)
    {
        options.TryParseEndpoint(out IPEndPoint? endpoint);
        IPEndPoint target = SendingEndpoint.Of(endpoint!, $"{UdpSourceOptions.Section}:{nameof(UdpSourceOptions.Endpoint)}");
        Socket socket = new(target.AddressFamily, SocketType.Dgram, ProtocolType.Udp);

        // Connected, so that this machine says when the port has no receiver.
        socket.Connect(target);
        return new UdpSender(socket, options.Checksum == UdpChecksum.Verify, target.ToString());
    }

    public async Task<string?[]> SendAsync(IReadOnlyList<OutgoingMessage> messages, CancellationToken cancellationToken)
    {
        string?[] errors = new string?[messages.Count];
        for (int i = 0; i < errors.Length; i++)
        {
            try
            {
                errors[i] = Problem;
                if (Problem is null)
                {
                    await _socket.SendAsync(ToDatagram(messages[i].Body), SocketFlags.None, cancellationToken);
                }
            }
            catch (SocketException exception) when (exception.SocketErrorCode == SocketError.ConnectionRefused)
            {
                // What this machine answered to an earlier one.
                errors[i] = Problem = $"nothing receives datagrams on {Target}. Start a worker with a route whose source is Udp, or name its endpoint: --{UdpSourceOptions.Section}:{nameof(UdpSourceOptions.Endpoint)}=address:port.";
            }
            catch (SocketException exception)
            {
                errors[i] = exception.Message;
            }
        }

        return errors;
    }

    public void Dispose() => _socket.Dispose();

    private ReadOnlyMemory<byte> ToDatagram(ReadOnlyMemory<byte> body)
    {
        if (!_withChecksum)
        {
            return body;
        }

        byte[] datagram = new byte[body.Length + Fletcher32.TrailerLength];
        body.CopyTo(datagram);
        Fletcher32.WriteTrailer(body.Span, datagram.AsSpan(body.Length));
        return datagram;
    }
}
