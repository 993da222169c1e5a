using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using Quayside.Pipeline.Messages;

namespace Quayside.Messaging.Telemetry;

/// <summary>
/// The worker's spans, after OpenTelemetry's messaging conventions (docs/reference/traces.md). Callers check <see cref="IsListening"/>
/// first, so that nothing is allocated without a listener. What a listener or sampler throws is ignored: a span that cannot start is null, and
/// no message's outcome depends on it. Threads: any.
/// </summary>
internal static class MessageSpans
{
    // The length that W3C Trace Context (3.3.1.5) requires to propagate. A longer state is dropped; the trace continues without it.
    private const int MaxTraceState = 512;

    // 00-{32 hex}-{16 hex}-{2 hex}
    private const int TraceParentLength = 55;

    private const string MessageId = "messaging.message.id";

    private static readonly ActivitySource Source = new(RouteMetrics.SourceName);
    private static readonly AsyncLocal<ActivityLink[]?> CallLinks = new();

    /// <summary>True while there is a listener for the worker's spans.</summary>
    public static bool IsListening => Source.HasListeners();

    /// <summary>Reads a W3C trace context.</summary>
    /// <param name="traceParent">The value of <c>traceparent</c>; null for none.</param>
    /// <param name="traceState">The value of <c>tracestate</c>; null for none. Dropped above 512 characters.</param>
    /// <returns>The context; default if it is missing or malformed.</returns>
    public static ActivityContext ParseContext(string? traceParent, string? traceState)
    {
        // The library accepts any character in place of the hyphens.
        bool isWellFormed = traceParent is { Length: TraceParentLength } && traceParent[2] == '-' && traceParent[35] == '-' && traceParent[52] == '-';
        string? state = traceState is { Length: > 0 and <= MaxTraceState } ? traceState : null;
        return isWellFormed && ActivityContext.TryParse(traceParent, state, isRemote: true, out ActivityContext context) ? context : default;
    }

    /// <summary>The current trace context, for a message to carry; false when there is none.</summary>
    /// <param name="traceParent">The value of <c>traceparent</c>.</param>
    /// <param name="traceState">The value of <c>tracestate</c>; null for none.</param>
    public static bool TryGetCurrent([NotNullWhen(true)] out string? traceParent, out string? traceState)
    {
        Activity? current = Activity.Current is { IdFormat: ActivityIdFormat.W3C } activity ? activity : null;
        traceParent = current?.Id;
        traceState = current?.TraceStateString is { Length: > 0 and <= MaxTraceState } state ? state : null;
        return traceParent is not null;
    }

    /// <summary>Records a call that received messages, or failed, as an ended span. It links to the messages' creation contexts.</summary>
    /// <param name="destination">The source of the messages.</param>
    /// <param name="startedAt">When the call began.</param>
    /// <param name="endedAt">When it ended.</param>
    /// <param name="messages">One context per message; default for a message without one.</param>
    /// <param name="errorType">The error type, a low-cardinality code; null on success.</param>
    /// <param name="description">The error as text; null on success.</param>
    public static void Received(
        MessageDestination destination, DateTimeOffset startedAt, DateTimeOffset endedAt, IReadOnlyCollection<ActivityContext> messages,
        string? errorType = null, string? description = null)
    {
        Activity? span = StartAside(
            "receive", "receive", destination, default, [.. messages.Where(context => context != default).Select(context => new ActivityLink(context))],
            startedAt);
        span?.SetTag("messaging.batch.message_count", messages.Count);
        if (errorType is not null)
        {
            Fail(span, errorType, description);
        }

        span?.SetEndTime(endedAt.UtcDateTime);
        End(span);
    }

    /// <summary>Starts the span of a settlement, as a child of the message's span; end it with <see cref="End"/>. Null for a message without a span.</summary>
    /// <param name="destination">The source of the message.</param>
    /// <param name="message">The message's span.</param>
    public static Activity? StartSettle(MessageDestination destination, Activity? message)
    {
        Activity? span = message is null ? null : StartAside("settle", "settle", destination, message.Context);
        return span?.SetTag(MessageId, message!.GetTagItem(MessageId));
    }

    /// <summary>
    /// Starts the span of one call that settles several messages: a child of a single message's span, or linked to the spans of several. End it with
    /// <see cref="End"/>.
    /// </summary>
    /// <param name="destination">The source of the messages.</param>
    /// <param name="messages">One span per message; null for a message without one. If all are null, no span is started.</param>
    public static Activity? StartSettleBatch(MessageDestination destination, IReadOnlyCollection<Activity?> messages)
    {
        ActivityLink[] links = LinksTo(messages);
        if (links.Length == 0)
        {
            return null;
        }

        Activity? span = messages.Count == 1 ? StartSettle(destination, messages.First()) : StartAside("settle", "settle", destination, default, links);
        return span?.SetTag("messaging.batch.message_count", messages.Count);
    }

    /// <summary>Starts the span of a call to another service, linked to the messages if it serves several. Becomes the current span.</summary>
    /// <param name="name">Its name, such as <c>S3.PutObject</c>.</param>
    /// <param name="tags">Its attributes.</param>
    public static Activity? StartCall(string name, IEnumerable<KeyValuePair<string, object?>> tags) =>
        TryStart(name, ActivityKind.Client, default, tags, CallLinks.Value);

    /// <summary>Marks a span as failed; ignores null.</summary>
    /// <param name="span">The span.</param>
    /// <param name="errorType">The error type, a low-cardinality code.</param>
    /// <param name="description">The error as text.</param>
    public static void Fail(Activity? span, string errorType, string? description) =>
        span?.SetTag("error.type", errorType).SetStatus(ActivityStatusCode.Error, description);

    /// <summary>Ends a span; ignores null. The current span stays current; if it is the one that ends, the one before it becomes current.</summary>
    /// <param name="span">The span.</param>
    public static void End(Activity? span)
    {
        if (span is null)
        {
            return;
        }

        Activity? current = Activity.Current;
        try
        {
            span.Dispose();
        }
        catch (Exception)
        {
            // Of a listener.
            Activity.Current = null;
        }

        if (current != span)
        {
            SetCurrent(current);
        }
    }

    /// <summary>Marks a span as failed by an exception; ignores null.</summary>
    internal static void Fail(Activity? span, Exception exception) => Fail(span, exception.GetType().FullName!, exception.Message);

    /// <summary>Starts the span of an attempt at a message, as a child of its creation context. Becomes the current span.</summary>
    internal static Activity? StartProcess(MessageDestination destination, ReceivedMessage message)
    {
        Activity? span = Start("process", "process", ActivityKind.Consumer, destination, message.CreationContext);
        return span?.SetTag(MessageId, UntrustedText.Shorten(message.SourceId.Span));
    }

    /// <summary>Starts the span of a batch, linked to its messages' spans. Becomes the current span.</summary>
    internal static Activity? StartProcessBatch(MessageDestination destination, IReadOnlyCollection<Activity?> messages) =>
        Start("process", "process", ActivityKind.Consumer, destination, default, LinksTo(messages))?.SetTag("messaging.batch.message_count", messages.Count);

    /// <summary>Starts the span of a call that sends messages, below the current span. Becomes the current span, whose context the messages carry.</summary>
    internal static Activity? StartSend(MessageDestination destination) =>
        TryStart($"send {destination.Name}", ActivityKind.Producer, default, TagsOf("send", "send", destination));

    /// <summary>Links the spans of later calls in the caller's asynchronous method to the spans of these messages.</summary>
    internal static void LinkCalls(IReadOnlyCollection<Activity?> messages) => CallLinks.Value = LinksTo(messages);

    private static ActivityLink[] LinksTo(IEnumerable<Activity?> messages) =>
        [.. messages.OfType<Activity>().Select(message => new ActivityLink(message.Context))];

    private static Activity? StartAside(
        string operation, string type, MessageDestination destination, ActivityContext parent, ActivityLink[]? links = null, DateTimeOffset startedAt = default)
    {
        Activity? current = Activity.Current;
        try
        {
            return Start(operation, type, ActivityKind.Client, destination, parent, links, startedAt);
        }
        finally
        {
            SetCurrent(current);
        }
    }

    private static Activity? Start(
        string operation, string type, ActivityKind kind, MessageDestination destination, ActivityContext parent, ActivityLink[]? links = null,
        DateTimeOffset startedAt = default)
    {
        if (parent == default)
        {
            // Without a parent the library uses the current span, which may belong to another message on the same thread.
            Activity.Current = null;
        }

        return TryStart($"{operation} {destination.Name}", kind, parent, TagsOf(operation, type, destination), links, startedAt);
    }

    private static Activity? TryStart(
        string name, ActivityKind kind, ActivityContext parent, IEnumerable<KeyValuePair<string, object?>> tags, IEnumerable<ActivityLink>? links = null,
        DateTimeOffset startedAt = default)
    {
        Activity? current = Activity.Current;
        try
        {
            return Source.StartActivity(name, kind, parent, tags, links, startedAt);
        }
        catch (Exception)
        {
            // Of a listener or sampler.
            SetCurrent(current);
            return null;
        }
    }

    // Passed at the start, so that samplers see them.
    private static KeyValuePair<string, object?>[] TagsOf(string operation, string type, MessageDestination destination) =>
    [
        new("messaging.operation.name", operation),
        new("messaging.operation.type", type),
        new("messaging.system", destination.System),
        new("messaging.destination.name", destination.Name),
    ];

    // A span that has ended cannot be the current one again.
    private static void SetCurrent(Activity? span) => Activity.Current = span is { IsStopped: false } ? span : null;
}
