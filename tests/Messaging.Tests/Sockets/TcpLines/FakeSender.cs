using System.Net;
using System.Text;
using Quayside.Messaging.Sockets.TcpLines;

namespace Messaging.Tests.Sockets.TcpLines;

/// <summary>A listener with one connection, without a socket. Its sender sends a text and reads no answer.</summary>
/// <param name="text">What it sends, as Latin-1.</param>
/// <param name="ends">True when it then ends its half.</param>
/// <param name="packets">Bytes of the first reads, one after another; the rest arrives together.</param>
internal sealed class FakeSender(string text, bool ends = false, params int[] packets) : ILineListener, ILineTransport
{
    private static readonly IPEndPoint Address = new(IPAddress.Loopback, 9082);

    private SenderStream _stream = new(Encoding.Latin1.GetBytes(text), ends, packets);
    private readonly TaskCompletionSource _connected = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private bool _isAccepted;

    public EndPoint Endpoint => Address;

    public IPEndPoint Peer => Address;

    public Stream Stream => _stream;

    /// <summary>Makes a sender whose connection breaks after the text.</summary>
    public static FakeSender ThatBreaks(string text) => new(text) { _stream = new SenderStream(Encoding.Latin1.GetBytes(text), ends: false) { Breaks = true } };

    /// <summary>Waits until the worker has handled every byte and reads again.</summary>
    public Task UntilAllReadAsync() => _stream.AllRead.WaitAsync(TimeSpan.FromSeconds(60));

    /// <summary>True once the worker has answered.</summary>
    public bool WasAnswered => _stream.WasWritten;

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
