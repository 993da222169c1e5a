using System.Globalization;
using System.Runtime.ExceptionServices;
using System.Text;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Recoverability;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Contexts;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Unwrapping;

/// <summary>
/// Processes the messages out of one. Those that can never be processed become dead letters of their own once all others are safe. If one has to be
/// tried again, the whole is: its source redelivers it, and what is stored already is recognised. Nothing is written aside before that is known.
/// </summary>
internal sealed partial class ElementRun(
    UnwrapRules rules, IEnvelope envelope, InnerContexts contexts, MessageContext context, Next<MessageContext> next,
    IReadOnlyList<ReadOnlyMemory<byte>> elements)
{
    // Files that are written together share their flushes.
    private const int MaxConcurrentWrites = 32;

    private const int MaxAttributeBytes = 4_096;

    private readonly ILogger _logger = rules.Logger;
    private readonly Lock _lock = new();
    private readonly SortedDictionary<int, Settlement> _deadLetters = [];
    private Settlement _again = Settlement.Complete;
    private ExceptionDispatchInfo? _exception;
    private bool _isStopped;
    private int _taken;

    public async Task RunAsync()
    {
        int lanes = Math.Min(rules.ElementConcurrency, elements.Count);
        Task[] running = new Task[lanes];
        for (int lane = 0; lane < lanes; lane++)
        {
            running[lane] = RunLaneAsync();
        }

        await Task.WhenAll(running);
        _exception?.Throw();
        context.Settlement = _again.Kind != SettlementKind.Complete ? _again
            : _deadLetters.Count == 0 ? Settlement.Complete
            : _deadLetters.Count == elements.Count ? DescribeAll()
            : await WriteDeadLettersAsync();
    }

    private async Task RunLaneAsync()
    {
        while (!Volatile.Read(ref _isStopped) && Interlocked.Increment(ref _taken) is var number && number <= elements.Count)
        {
            InnerContext inner = contexts.Rent(context, elements[number - 1], number, envelope);
            Exception? exception = null;
            Settlement settlement = default;
            try
            {
                await next.InvokeAsync(inner.Context);
                settlement = inner.Context.Settlement;
            }
            catch (Exception thrown)
            {
                exception = thrown;
            }
            finally
            {
                contexts.Return(inner);
            }

            Take(number, settlement, exception);
        }
    }

    private void Take(int number, Settlement settlement, Exception? exception)
    {
        bool isCancelled = context.CancellationToken.IsCancellationRequested;
        if (exception is not null && rules.Services.Recoverability.Rules.TryRead(exception, isCancelled, out Settlement known))
        {
            (settlement, exception) = (known, null);
        }

        // Of its last delivery, the message that failed is dead-lettered, not those beside it.
        if ((exception is not null || !settlement.IsDecided) && !isCancelled && context.Message.DeliveryCount >= rules.Policy.MaxDeliveries)
        {
            (settlement, exception) = (rules.Policy.Decide(settlement, exception, context.Message.DeliveryCount, Cancellation.None), null);
        }

        lock (_lock)
        {
            if (exception is not null)
            {
                _exception ??= ExceptionDispatchInfo.Capture(exception);
            }
            else if (settlement.Kind == SettlementKind.DeadLetter)
            {
                _deadLetters.Add(
                    number,
                    settlement with { Description = $"Message {number} of {elements.Count} in the envelope {rules.Envelope}: {settlement.Description}" });
                return;
            }
            else if (settlement.Kind == SettlementKind.Complete)
            {
                return;
            }
            else
            {
                _again = Settlement.Combine(_again, settlement);
            }

            // The whole is redelivered: the rest would be processed twice.
            Volatile.Write(ref _isStopped, true);
        }
    }

    private Settlement DescribeAll()
    {
        Settlement first = _deadLetters[1];
        return elements.Count == 1 ? first : first with { Description = $"None of {elements.Count} messages can be processed. {first.Description}" };
    }

    private async Task<Settlement> WriteDeadLettersAsync()
    {
        KeyValuePair<int, Settlement>[] dead = [.. _deadLetters];
        DeadLetter common = WithBoundedAttributes(
            DeadLetter.Create(context.Message, dead[0].Value, rules.Envelope.ToLowerInvariant(), rules.Services.Route, rules.Services.Time.GetUtcNow()));
        Task<Settlement>[] running = new Task<Settlement>[Math.Min(MaxConcurrentWrites, dead.Length)];
        int last = 0;
        for (int lane = 0; lane < running.Length; lane++)
        {
            running[lane] = WriteLaneAsync();
        }

        return (await Task.WhenAll(running)).Aggregate(Settlement.Combine);

        async Task<Settlement> WriteLaneAsync()
        {
            while (Interlocked.Increment(ref last) is var taken && taken <= dead.Length)
            {
                (int number, Settlement settlement) = dead[taken - 1];
                Settlement written = await WriteDeadLetterAsync(common, number, settlement);
                if (written.Kind != SettlementKind.Complete)
                {
                    Volatile.Write(ref last, dead.Length);
                    return written;
                }
            }

            return Settlement.Complete;
        }
    }

    private async Task<Settlement> WriteDeadLetterAsync(DeadLetter common, int number, Settlement settlement)
    {
        DeadLetter letter = common with
        {
            SourceId = Encoding.UTF8.GetString(UnwrappedMessage.ElementId(context.Message.SourceId.Span, number)),
            Reason = settlement.Reason ?? common.Reason,
            Description = settlement.Description ?? string.Empty,
            ExceptionType = settlement.ExceptionType,
            Exception = settlement.Exception is { } exception ? DeadLetter.Describe(exception) : null,
            IsPart = true,
        };
        try
        {
            string place = await rules.Services.DeadLetters.WriteAsync(letter, elements[number - 1], context.CancellationToken);
            rules.Services.Metrics.ElementDeadLetterWritten(settlement.Reason, settlement.ExceptionType);
            if (rules.DeadLetterLog.ShouldLog(letter.Reason, out SuppressedLines suppressed))
            {
                LogDeadLetter(
                    rules.Services.Route, UntrustedText.Shorten(letter.SourceId), letter.Reason, place, UntrustedText.Shorten(letter.Description), suppressed);
            }

            return Settlement.Complete;
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            return Settlement.Transient(
                string.Create(
                    CultureInfo.InvariantCulture,
                    $"The dead letter of message {number} of {elements.Count} could not be written: {UntrustedText.MessageOf(failure)}"),
                    retryInProcess: false);
        }
    }

    // Each record repeats what the message has beside its body: without a limit one message could fill the disk.
    private static DeadLetter WithBoundedAttributes(DeadLetter letter)
    {
        Dictionary<string, string> kept = new(StringComparer.Ordinal);
        int bytes = 0;
        foreach ((string name, string value) in letter.Attributes)
        {
            bytes += Encoding.UTF8.GetByteCount(name) + Encoding.UTF8.GetByteCount(value);
            if (bytes > MaxAttributeBytes)
            {
                break;
            }

            kept.Add(name, value);
        }

        return letter with { Attributes = kept };
    }

    [LoggerMessage(
        5400, LogLevel.Warning,
        "Route {Route}: message {Id}, one of several in an envelope, is dead-lettered as {Reason} ({Place}): {Description}{Suppressed}")]
    private partial void LogDeadLetter(string route, string id, string reason, string place, string description, SuppressedLines suppressed);
}
