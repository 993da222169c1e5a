using System.Net;
using System.Threading.Channels;
using Quayside.Messaging.Sockets.TcpLines;

namespace Proof.Models;

/// <summary>The port of one process: connections wait in its backlog until the worker accepts them.</summary>
internal sealed class LineListener : ILineListener
{
    private readonly Channel<LineExchange> _backlog = Channel.CreateUnbounded<LineExchange>();

    public EndPoint Endpoint => LineExchange.Address;

    /// <returns>False when the process listens no more.</returns>
    public bool TryAdd(LineExchange connection) => _backlog.Writer.TryWrite(connection);

    public async ValueTask<ILineTransport> AcceptAsync(CancellationToken cancellationToken) => await _backlog.Reader.ReadAsync(cancellationToken);

    public void Dispose()
    {
        _backlog.Writer.TryComplete();
        while (_backlog.Reader.TryRead(out LineExchange? waiting))
        {
            waiting.Break();
        }
    }
}
