using System.Net;
using System.Net.Sockets;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Publishing;

namespace Quayside.Messaging.Sockets.Udp;

/// <summary>Sends messages as datagrams to the endpoint of <c>Sources:Udp</c>, with a checksum if the worker verifies one. Nothing is answered.</summary>
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

    // Set when this machine reports that nothing receives on the port; the remaining messages are not sent.
    public string? Problem { get; private set; }

    /// <exception cref="StartupException">The endpoint names no port.</exception>
    public static UdpSender Open(UdpSourceOptions options)
    {
        options.TryParseEndpoint(out IPEndPoint? endpoint);
        IPEndPoint target = SendingEndpoint.Of(endpoint!, $"{UdpSourceOptions.Section}:{nameof(UdpSourceOptions.Endpoint)}");
        Socket socket = new(target.AddressFamily, SocketType.Dgram, ProtocolType.Udp);

        // Connected, so that this machine reports a port without a receiver.
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
                // The report for an earlier datagram.
                errors[i] = Problem = $"nothing receives datagrams on {Target}. Start a worker with a route whose source is Udp, or give its endpoint with --{UdpSourceOptions.Section}:{nameof(UdpSourceOptions.Endpoint)}=address:port.";
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
