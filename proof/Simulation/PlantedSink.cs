using Quayside.Messaging.Sinks;

namespace Proof.Simulation;

/// <summary>A sink with a <see cref="Defect"/>.</summary>
internal sealed class PlantedSink : IObjectSink
{
    private readonly IObjectSink _sink;
    private readonly Defect _defect;
    private byte[] _previous = "{}"u8.ToArray();

    private PlantedSink(IObjectSink sink, Defect defect)
    {
        _sink = sink;
        _defect = defect;
    }

    public string? Problem => _sink.Problem;

    public static IObjectSink Wrap(IObjectSink sink, Defect defect) =>
        defect is Defect.AcknowledgeBeforeStore or Defect.SwallowFailure or Defect.StoredWhenCancelled or Defect.TruncateBody or Defect.ReuseBuffer
            or Defect.ThrowOnPool or Defect.Hang
            ? new PlantedSink(sink, defect)
            : sink;

    public Task CheckAsync(CancellationToken cancellationToken) => _sink.CheckAsync(cancellationToken);

    public string Locate(string key) => _sink.Locate(key);

    public void StopWaiting() => _sink.StopWaiting();

    public ValueTask DisposeAsync() => _sink.DisposeAsync();

    public async ValueTask<SinkResult> StoreAsync(ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, CancellationToken cancellationToken)
    {
        switch (_defect)
        {
            case Defect.AcknowledgeBeforeStore:
                _ = _sink.StoreAsync(key.ToArray(), body.ToArray(), CancellationToken.None).AsTask();
                return SinkResult.Stored;
            case Defect.ThrowOnPool:
                ThreadPool.UnsafeQueueUserWorkItem(static _ => throw new InvalidOperationException("Nothing catches this."), null);
                break;
            case Defect.Hang:
                Thread.Sleep(Timeout.Infinite);
                break;
            case Defect.TruncateBody:
                return await _sink.StoreAsync(key, body[..^1], cancellationToken);
            case Defect.ReuseBuffer:
                byte[] previous = _previous;
                _previous = body.ToArray();
                return await _sink.StoreAsync(key, previous, cancellationToken);
        }

        try
        {
            SinkResult result = await _sink.StoreAsync(key, body, cancellationToken);
            return _defect == Defect.SwallowFailure && result.Status == SinkStatus.Transient ? SinkResult.Stored : result;
        }
        catch (OperationCanceledException) when (_defect == Defect.StoredWhenCancelled)
        {
            return SinkResult.Stored;
        }
    }
}
