using System.Collections.Concurrent;
using System.Threading.Channels;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Sources;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Testing;

/// <summary>
/// A queue in memory. It redelivers abandoned messages after their delay, by the worker's clock, and forgets all messages when the worker stops.
/// </summary>
internal sealed class TestSource(SourceServices services) : IMessageSource
{
    private readonly Channel<SentMessage> _waiting = Channel.CreateUnbounded<SentMessage>();
    private readonly ConcurrentDictionary<SentMessage, bool> _open = new();
    private readonly CancellationTokenSource _closed = new();

    public void Send(SentMessage message)
    {
        _open.TryAdd(message, true);
        if (!_waiting.Writer.TryWrite(message))
        {
            message.Cancel();
        }
    }

    public Task CheckAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public async Task ReceiveAsync(IMessageIntake intake, CancellationToken stopReceiving)
    {
        try
        {
            while (true)
            {
                using SlotLease slots = await intake.ReserveAsync(1, services.Concurrency, stopReceiving);
                if (!await _waiting.Reader.WaitToReadAsync(stopReceiving))
                {
                    return;
                }

                while (slots.Count > 0 && _waiting.Reader.TryRead(out SentMessage? message))
                {
                    message.FirstDelivered ??= services.Time.GetUtcNow();
                    slots.Accept(new TestSourceMessage(this, message));
                }
            }
        }
        catch (OperationCanceledException) when (stopReceiving.IsCancellationRequested)
        {
            // The worker stops.
        }
    }

    public async ValueTask SettleAsync(SentMessage message, Settlement settlement, CancellationToken cancellationToken)
    {
        message.Add(settlement);
        switch (settlement.Kind)
        {
            case SettlementKind.Complete:
                End(message, settlement);
                break;
            case SettlementKind.DeadLetter:
                await DeadLetterAsync(message, settlement, cancellationToken);
                break;
            default:
                _ = RedeliverAsync(message, settlement.Delay);
                break;
        }
    }

    public Task CloseAsync(CancellationToken cancellationToken)
    {
        _waiting.Writer.TryComplete();
        _closed.Cancel();
        foreach (SentMessage message in _open.Keys)
        {
            message.Cancel();
        }

        return Task.CompletedTask;
    }

    public async ValueTask DisposeAsync() => await CloseAsync(CancellationToken.None);

    private async ValueTask DeadLetterAsync(SentMessage message, Settlement settlement, CancellationToken cancellationToken)
    {
        DateTimeOffset now = services.Time.GetUtcNow();
        DeadLetter record = new()
        {
            SourceId = message.Id,
            Source = services.Name,
            Route = services.Route,
            Reason = settlement.Reason ?? "unspecified",
            Description = settlement.Description ?? string.Empty,
            ExceptionType = settlement.ExceptionType,
            Exception = settlement.Exception is { } exception ? DeadLetter.Describe(exception) : null,
            Attempts = message.Deliveries,
            FirstSeen = message.FirstDelivered ?? now,
            LastSeen = now,
        };
        try
        {
            await services.DeadLetters.WriteAsync(record, message.Body, cancellationToken);
        }
        catch (IOException)
        {
            services.Metrics?.MessageReturned();
            _ = RedeliverAsync(message, TimeSpan.Zero);
            return;
        }

        services.Metrics?.DeadLetterWritten(settlement.Reason);
        End(message, settlement);
    }

    private async Task RedeliverAsync(SentMessage message, TimeSpan delay)
    {
        if (delay > TimeSpan.Zero)
        {
            await Task.Delay(delay, services.Time, _closed.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }

        _waiting.Writer.TryWrite(message);
    }

    private void End(SentMessage message, in Settlement settlement)
    {
        _open.TryRemove(message, out _);
        message.End(settlement);
    }
}
