using Messaging.Configuration;

namespace Messaging.Recoverability;

/// <summary>Section <c>Recoverability</c>: retries, redeliveries and the breaker.</summary>
public sealed class RecoverabilityOptions : ISelfValidating
{
    [Setting("Attempts in a row, the first included, at a transient fault of what does not retry by itself: the directory sink, the log of a CloudFront event, a part of your own. Not for S3 and Elasticsearch, whose MaxAttempts says how often they try. Then the message is held, or abandoned where its source cannot hold it", Min = "1", Max = "20", Consequence = "Many attempts delay the answer to callers of HTTP.")]
    public int Attempts { get; set; } = 3;

    [Setting("Bound of the first random wait between attempts; doubles each time", Min = "1ms", Max = "1m")]
    public TimeSpan BackoffBase { get; set; } = TimeSpan.FromMilliseconds(100);

    [Setting("Bound that the doubling never exceeds", Min = "1ms", Max = "15m")]
    public TimeSpan BackoffCap { get; set; } = TimeSpan.FromSeconds(20);

    [Setting("Deliveries after which a message that fails for an unknown reason is dead-lettered; a transient fault dead-letters no message, however often it was delivered", Min = "2", Max = "1000", Consequence = "1 would dead-letter at the first hiccup.")]
    public int MaxDeliveries { get; set; } = 10;

    [Setting("Sink failures in a row that open the breaker", Min = "1", Max = "100000")]
    public int BreakerFailures { get; set; } = 20;

    [Setting("Share of failed stores in the window that opens the breaker", Min = "0.01", Max = "1")]
    public double BreakerRatio { get; set; } = 0.1;

    [Setting("Stores in the window before the share counts", Min = "10", Max = "1000000")]
    public int BreakerMinimum { get; set; } = 100;

    [Setting("Length of the window", Min = "1s", Max = "1h")]
    public TimeSpan BreakerWindow { get; set; } = TimeSpan.FromSeconds(60);

    [Setting("Time the breaker stays open before one message is let through as a probe", Min = "100ms", Max = "10m")]
    public TimeSpan BreakerOpen { get; set; } = TimeSpan.FromSeconds(5);

    public Backoff Backoff => new(BackoffBase, BackoffCap);

    public void Validate(SettingsCheck check)
    {
        if (BackoffCap < BackoffBase)
        {
            check.Fail(nameof(BackoffCap), $"must not be below {nameof(BackoffBase)}.", "The waits could never reach their first bound.", nameof(BackoffBase));
        }
    }
}
