using System.Net.Sockets;
using System.Security.Authentication;
using RabbitMQ.Client;

namespace Quayside.Messaging.RabbitMq;

/// <summary>
/// A connection whose end within a frame is an error: the client would wait for the rest of the frame for ever, at the full load of a processor.
/// </summary>
/// <param name="socket">The socket; disposed with it.</param>
/// <param name="isPlain">True without TLS.</param>
internal sealed class BrokerSocket(Socket socket, bool isPlain) : TcpClientAdapter(socket)
{
    /// <summary>What a port for TLS answers to a client without.</summary>
    public const string TlsAnswer = "The address answers with TLS.";

    public override NetworkStream GetStream() => new WholeStream(Client, isPlain);

    private sealed class WholeStream(Socket socket, bool isPlain) : NetworkStream(socket)
    {
        private bool _isRead;

        public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            int read = await base.ReadAsync(buffer, cancellationToken);
            if (read == 0 && !buffer.IsEmpty)
            {
                throw new EndOfStreamException("The broker closed the connection.");
            }

            // An alert of TLS, of any version.
            if (!_isRead && isPlain && buffer.Span[..read] is [0x15, 3, ..])
            {
                throw new AuthenticationException(TlsAnswer);
            }

            _isRead |= read > 0;
            return read;
        }
    }
}
