using Microsoft.Extensions.Logging;
using Pipeline.Buffers;

namespace Worker.Sources.Channels;

/// <summary>
/// Messages published inside this process. They live in memory: a kill loses them; a stop refuses publishers, works off what is
/// held while the shutdown allows it, and leaves the rest to the dead letters.
/// </summary>
internal sealed class ChannelMessageSource : IMessageSource
{
    public const string SourceName = "channel";

    private readonly string _route;
    private readonly bool _drainOnStop;
    private readonly int _concurrency;
    private readonly ILogger _logger;
    private readonly ChannelQueue _queue;

    private int _disposed;

    public ChannelMessageSource(SourceServices services, ChannelSourceOptions options, ChannelPublishers publishers, BufferPool buffers)
    {
        _route = services.Route;
        _drainOnStop = options.DrainOnStop;
        _concurrency = services.Concurrency;
        _logger = services.Loggers.CreateLogger<ChannelMessageSource>();
        _queue = new ChannelQueue(services.Route, options, buffers, services.DeadLetters, services.Time, _logger);
        publishers.Add(_route, _queue);
    }

    public string Name => SourceName;

    public Task CheckAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public async Task ReceiveAsync(IMessageIntake intake, CancellationToken stopReceiving)
    {
        await HandInAsync(intake, stopReceiving);
        _queue.Refuse();
    }

    public async Task DrainAsync(IMessageIntake intake, CancellationToken stopDraining)
    {
        if (!_drainOnStop)
        {
            return;
        }

        if (_queue.Held > 0)
        {
            ChannelLog.Draining(_logger, _route, _queue.Held);
        }

        // Ends when nothing is held: the queue completes itself then. What is in work may still come back.
        await HandInAsync(intake, stopDraining);
    }

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

    private async Task HandInAsync(IMessageIntake intake, CancellationToken stop)
    {
        await using CancellationTokenRegistration wake = stop.UnsafeRegister(static queue => ((ChannelQueue)queue!).Wake(), _queue);
        try
        {
            while (!stop.IsCancellationRequested && await _queue.WaitAsync())
            {
                if (_queue.HasMessage() && !stop.IsCancellationRequested)
                {
                    int slots = await intake.ReserveAsync(1, Math.Clamp(_queue.ReadyCount, 1, _concurrency), stop);
                    HandIn(intake, stop.IsCancellationRequested ? 0 : slots, slots);
                }
            }
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            // Stopped while waiting for a slot: the message is still in the queue.
        }
    }

    private void HandIn(IMessageIntake intake, int wanted, int slots)
    {
        int used = 0;
        while (used < wanted && _queue.TryTake(out ChannelMessage? message))
        {
            used++;
            intake.Accept(message);
        }

        if (used < slots)
        {
            intake.Release(slots - used);
        }
    }
}
