using System.Net;
using System.Text;
using Messaging.Sockets.TcpLines;

namespace Worker.Tests.Sockets.TcpLines;

/// <summary>A listener with one connection, without a socket. Its sender sends a text and reads no answer.</summary>
/// <param name="text">What it sends.</param>
/// <param name="ends">True when it then ends its half.</param>
internal sealed class FakeSender(string text, bool ends = false) : ILineListener, ILineTransport
{
    private static readonly IPEndPoint Address = new(IPAddress.Loopback, 9082);

    private readonly SenderStream _stream = new(Encoding.ASCII.GetBytes(text), ends);
    private readonly TaskCompletionSource _connected = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private bool _isAccepted;

    public EndPoint Endpoint => Address;

    public IPEndPoint Peer => Address;

    public Stream Stream => _stream;

    /// <summary>Opens the connection.</summary>
    public void Connect() => _connected.TrySetResult();

    /// <summary>Waits until the worker writes answers, and returns the number of bytes.</summary>
    public Task<int> NextWriteAsync() => _stream.NextWriteAsync();

    public async ValueTask<ILineTransport> AcceptAsync(CancellationToken cancellationToken)
    {
        if (_isAccepted)
        {
            await Task.Delay(Timeout.InfiniteTimeSpan, cancellationToken);
        }

        await _connected.Task.WaitAsync(cancellationToken);
        _isAccepted = true;
        return this;
    }

    public void TrySend(ReadOnlySpan<byte> bytes)
    {
    }

    public void EndSending()
    {
    }

    public void Dispose()
    {
    }
}
