using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.Recoverability;

/// <summary>Section <c>Recoverability</c>: retries, redeliveries and the breaker.</summary>
internal sealed class RecoverabilityOptions : ISelfValidating
{
    /// <summary>Attempts in process, the first included; default 3.</summary>
    [Setting(
        "Attempts in process, the first included, when the directory sink, the log of a CloudFront event or your own part reports a transient fault; S3 and "
            + "Elasticsearch have MaxAttempts of their own. Then the message is held, or abandoned if its source cannot hold it", Min = "1", Max = "20",
            Consequence = "Many attempts delay the response to HTTP callers.", Advanced = true)]
    public int Attempts { get; set; } = 3;

    /// <summary>Upper bound of the first wait; default 100 ms.</summary>
    [Setting("Upper bound of the first random wait between attempts; doubles with each attempt", Min = "1ms", Max = "1m", Advanced = true)]
    public TimeSpan BackoffBase { get; set; } = TimeSpan.FromMilliseconds(100);

    /// <summary>Upper bound of every wait; default 20 s.</summary>
    [Setting("Maximum of the doubled bound", Min = "1ms", Max = "15m", Advanced = true)]
    public TimeSpan BackoffCap { get; set; } = TimeSpan.FromSeconds(20);

    /// <summary>Deliveries after which a message that fails for an unknown reason is dead-lettered; default 10.</summary>
    [Setting(
        "Deliveries after which a message that fails for an unknown reason is dead-lettered; transient faults never dead-letter a message", Min = "2",
        Max = "1000", Consequence = "1 would dead-letter a message after one failure.")]
    public int MaxDeliveries { get; set; } = 10;

    /// <summary>Names of exception types that dead-letter a message on the first delivery, full or without the namespace; none by default.</summary>
    [Setting(
        "Exception types that dead-letter the message on the first delivery, without a retry: full names or names without the namespace; derived types count "
            + "too, and of several listed types the most derived one decides")]
    public string[] DeadLetterOn { get; set; } = [];

    /// <summary>Names of exception types that are transient faults, as in <see cref="DeadLetterOn"/>; none by default.</summary>
    [Setting(
        "Exception types that report a service as down: the message is retried, then held or abandoned, "
            + "and never dead-lettered for it; names as in DeadLetterOn")]
    public string[] RetryOn { get; set; } = [];

    /// <summary>Failures in a row that open the breaker; default 20.</summary>
    [Setting("Sink failures in a row that open the breaker", Min = "1", Max = "100000", Advanced = true)]
    public int BreakerFailures { get; set; } = 20;

    /// <summary>Share of failures that opens the breaker, from 0 to 1; default 0.1.</summary>
    [Setting("Share of failed stores in the last minute that opens the breaker, from 100 stores on", Min = "0.01", Max = "1", Advanced = true)]
    public double BreakerRatio { get; set; } = 0.1;

    /// <summary>Time the breaker stays open before a probe; default 5 s.</summary>
    [Setting("Time the breaker stays open before one message probes the sink", Min = "100ms", Max = "10m", Advanced = true)]
    public TimeSpan BreakerOpen { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary><see cref="BackoffBase"/> and <see cref="BackoffCap"/>.</summary>
    public Backoff Backoff => new(BackoffBase, BackoffCap);

    /// <summary>The rules of both lists; those of code after <see cref="Use"/>.</summary>
    internal ExceptionRules Rules
    {
        get => field ??= new ExceptionRules(DeadLetterOn, RetryOn, []);
        private set;
    }

    /// <summary>Adds the exception types of code. Call it before the route's parts are made.</summary>
    internal void Use(IEnumerable<ExceptionTypeRule> types) => Rules = new ExceptionRules(DeadLetterOn, RetryOn, types);

    /// <inheritdoc/>
    public void Validate(SettingsCheck check)
    {
        if (BackoffCap < BackoffBase)
        {
            check.Fail(nameof(BackoffCap), $"must not be below {nameof(BackoffBase)}.", "The first wait would exceed the maximum.", nameof(BackoffBase));
        }

        CheckNames(check, nameof(DeadLetterOn), DeadLetterOn);
        CheckNames(check, nameof(RetryOn), RetryOn);
        if (DeadLetterOn.Intersect(RetryOn, StringComparer.Ordinal).FirstOrDefault() is { } both)
        {
            check.Fail(
                nameof(RetryOn), $"must not have {both}, which is in {nameof(DeadLetterOn)} too.", "A message can be dead-lettered or retried, not both.",
                nameof(DeadLetterOn));
        }
    }

    private static void CheckNames(SettingsCheck check, string property, string[] names)
    {
        foreach (string problem in names.Select(ExceptionNames.FindProblem).OfType<string>())
        {
            check.Fail(property, $"must be names of exception types: {problem}", "It would match no exception.");
        }
    }
}
