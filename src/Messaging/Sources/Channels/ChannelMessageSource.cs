using Microsoft.Extensions.Logging;
using Quayside.Messaging.Sources.InMemory;
using Quayside.Pipeline.Buffers;

namespace Quayside.Messaging.Sources.Channels;

/// <summary>
/// Messages published inside this process. They exist only in memory, so a kill loses them. A shutdown refuses publishers, processes the
/// messages within the drain timeout, and writes the rest to the dead letters.
/// </summary>
internal sealed class ChannelMessageSource : IMessageSource
{
    private readonly bool _drainOnStop;
    private readonly ChannelQueue _queue;

    private int _disposed;

    public ChannelMessageSource(SourceServices services, ChannelSourceOptions options, ChannelPublishers publishers, BufferPool buffers)
    {
        _drainOnStop = options.DrainOnStop;
        _queue = new ChannelQueue(InMemoryServices.Of(services, services.Loggers.CreateLogger<ChannelMessageSource>()), options, buffers);
        publishers.Add(services.Route, _queue);
    }

    public Task CheckAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task ReceiveAsync(IMessageIntake intake, CancellationToken stopReceiving) => _queue.ReceiveAsync(intake, stopReceiving);

    public Task DrainAsync(IMessageIntake intake, CancellationToken stopDraining) =>
        _drainOnStop ? _queue.DrainAsync(intake, stopDraining) : Task.CompletedTask;

    public Task CloseAsync(CancellationToken cancellationToken) => _queue.CloseAsync(cancellationToken);

    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _disposed, 1) != 0)
        {
            return;
        }

        await _queue.CloseAsync(new CancellationToken(canceled: true));
        _queue.Dispose();
    }
}
