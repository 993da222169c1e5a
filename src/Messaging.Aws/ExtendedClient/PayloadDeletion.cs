using System.Diagnostics.Metrics;
using System.Threading.Channels;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Aws.ExtendedClient;

/// <summary>
/// Deletes the payloads of completed messages, beside the messages: a payload that cannot be deleted stays in its bucket, and is counted and logged.
/// Disposing it finishes what waits, for a few seconds. Threads: any.
/// </summary>
internal sealed class PayloadDeletion : IAsyncDisposable
{
    // A message is in SQS for a moment longer than its payload is needed, so this bounds memory, not work: 10,000 names are some 2 MB.
    private const int MaxWaiting = 10_000;

    private const int Lanes = 8;
    private const int Attempts = 3;

    private static readonly TimeSpan AttemptLimit = TimeSpan.FromSeconds(10);

    // Less than the time that a stopping route gives each of its parts.
    private static readonly TimeSpan StopLimit = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan LineInterval = TimeSpan.FromMinutes(1);
    private static readonly Backoff Backoff = new(TimeSpan.FromMilliseconds(500), TimeSpan.FromSeconds(10));

    private static readonly Meter Meter = new(RouteMetrics.SourceName);
    private static readonly Counter<long> Deletions = Meter.CreateCounter<long>(
        "worker.payloads.deletions", "{payload}", "Payloads of the SQS Extended Client to be deleted after their messages, by outcome: deleted, failed; those that failed stay in their bucket");

    private readonly string _route;
    private readonly Func<PayloadPointer, TimeSpan, CancellationToken, ValueTask<S3Fault>> _delete;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly LogThrottle _failed;
    private readonly Channel<PayloadPointer> _waiting = Channel.CreateBounded<PayloadPointer>(MaxWaiting);
    private readonly CancellationTokenSource _stop = new();
    private readonly Task _lanes;

    /// <param name="route">The route, for log and metric.</param>
    /// <param name="delete">Deletes an object within a time limit.</param>
    /// <param name="time">The clock of retries.</param>
    /// <param name="logger">Receives a line per failure, throttled.</param>
    public PayloadDeletion(string route, Func<PayloadPointer, TimeSpan, CancellationToken, ValueTask<S3Fault>> delete, TimeProvider time, ILogger logger)
    {
        _route = route;
        _delete = delete;
        _time = time;
        _logger = logger;
        _failed = new LogThrottle(time, LineInterval);
        _lanes = Task.WhenAll(Enumerable.Range(0, Lanes).Select(_ => RunAsync()));
    }

    /// <summary>Deletes the payload soon. Neither blocks nor throws.</summary>
    public void Begin(PayloadPointer pointer)
    {
        if (!_waiting.Writer.TryWrite(pointer))
        {
            Failed(pointer, _stop.IsCancellationRequested || _waiting.Reader.Completion.IsCompleted ? "the worker stops" : $"{MaxWaiting} deletions wait already");
        }
    }

    public async ValueTask DisposeAsync()
    {
        _waiting.Writer.TryComplete();
        try
        {
            await _lanes.WaitAsync(StopLimit, _time);
        }
        catch (TimeoutException)
        {
            await _stop.CancelAsync();
            await _lanes;
        }

        _stop.Dispose();
    }

    private async Task RunAsync()
    {
        await foreach (PayloadPointer pointer in _waiting.Reader.ReadAllAsync())
        {
            if (await DeleteAsync(pointer) is { } failure)
            {
                Failed(pointer, failure);
            }
            else
            {
                Count("deleted");
            }
        }
    }

    /// <returns>Why it failed; null on success.</returns>
    private async Task<string?> DeleteAsync(PayloadPointer pointer)
    {
        for (int attempt = 1; ; attempt++)
        {
            try
            {
                _stop.Token.ThrowIfCancellationRequested();
                S3Fault fault = await _delete(pointer, AttemptLimit, _stop.Token);
                switch (fault.Kind)
                {
                    case AwsErrorKind.None:
                        return null;
                    case AwsErrorKind.Transient or AwsErrorKind.Throttled when attempt < Attempts:
                        await Task.Delay(Backoff.After(attempt, fault.RetryAfter), _time, _stop.Token);
                        break;
                    case AwsErrorKind.Refused:
                        return $"{fault.Describe(S3Operations.Delete)}. Grant s3:DeleteObject";
                    default:
                        return fault.Describe(S3Operations.Delete);
                }
            }
            catch (OperationCanceledException)
            {
                return "the worker stops";
            }
            catch (Exception exception)
            {
                // Any exception: a lane that ends would leave all later payloads.
                return $"{exception.GetType().Name}: {UntrustedText.Shorten(exception.Message)}";
            }
        }
    }

    private void Failed(PayloadPointer pointer, string failure)
    {
        Count("failed");
        if (_failed.ShouldLog(out SuppressedLines suppressed))
        {
            _logger.LogPayloadKept(_route, UntrustedText.Shorten($"s3://{pointer.Bucket}/{pointer.Key}"), failure, suppressed);
        }
    }

    private void Count(string outcome) => Deletions.Add(1, new KeyValuePair<string, object?>("worker.route", _route), new KeyValuePair<string, object?>("worker.outcome", outcome));
}
