using System.Net;

namespace Quayside.Messaging.Sockets.TcpLines;

/// <summary>Accepts the connections of senders.</summary>
internal interface ILineListener : IDisposable
{
    EndPoint Endpoint { get; }

    /// <exception cref="System.Net.Sockets.SocketException">No descriptors or no memory; accepting again may succeed.</exception>
    ValueTask<ILineTransport> AcceptAsync(CancellationToken cancellationToken);
}

/// <summary>The bytes of one accepted connection. Disposing it closes it.</summary>
internal interface ILineTransport : IDisposable
{
    IPEndPoint Peer { get; }

    Stream Stream { get; }

    /// <summary>Sends the bytes if that needs no waiting.</summary>
    void TrySend(ReadOnlySpan<byte> bytes);

    /// <summary>Tells the sender that nothing more follows; its own bytes can still be read.</summary>
    void EndSending();
}
