using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.AzureServiceBus;

/// <summary>
/// Finds settlements that the broker does not answer: the client waits for minutes before it reports a failure, and a message in such a call keeps the call.
/// Threads: any.
/// </summary>
internal sealed class SettlementWatch(ServiceBusSourceLog log, TimeProvider time)
{
    /// <summary>A settlement that takes longer is reported.</summary>
    public static readonly TimeSpan Limit = TimeSpan.FromSeconds(10);

    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(2);

    private readonly Lock _lock = new();

    // The start of each settlement.
    private readonly Dictionary<ServiceBusDelivery, long> _running = [];
    private volatile string? _problem;

    /// <summary>Why the route is not ready; null while settlements are answered.</summary>
    public string? Problem => _problem;

    public void Begin(ServiceBusDelivery delivery)
    {
        lock (_lock)
        {
            _running[delivery] = time.GetTimestamp();
        }
    }

    public void End(ServiceBusDelivery delivery)
    {
        lock (_lock)
        {
            _running.Remove(delivery);
        }
    }

    /// <summary>Looks at the settlements until the token is cancelled; then throws.</summary>
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        while (true)
        {
            await Task.Delay(Interval, time, cancellationToken);
            Update();
        }
    }

    private void Update()
    {
        (int count, TimeSpan longest) = Late();
        if (count > 0)
        {
            if (_problem is null)
            {
                log.SettlementsSlow(count, longest);
            }

            _problem = $"Service Bus has not answered {count} settlement(s), the oldest for {DurationText.Of(longest)}.";
        }
        else if (_problem is not null)
        {
            _problem = null;
            log.SettlementsAnswered();
        }
    }

    private (int Count, TimeSpan Longest) Late()
    {
        int count = 0;
        TimeSpan longest = TimeSpan.Zero;
        lock (_lock)
        {
            foreach (long begun in _running.Values)
            {
                TimeSpan age = time.GetElapsedTime(begun);
                count += age >= Limit ? 1 : 0;
                longest = age > longest ? age : longest;
            }
        }

        return (count, longest);
    }
}
