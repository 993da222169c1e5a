using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using Pipeline.Messages;

namespace Messaging.Telemetry;

/// <summary>
/// The worker's spans, after OpenTelemetry's messaging conventions (docs/reference/traces.md). Callers ask <see cref="IsListening"/>
/// first: without a listener nothing else here is called, and nothing is allocated. Threads: any.
/// </summary>
public static class MessageSpans
{
    // The least that W3C Trace Context (3.3.1.5) asks to pass on. A longer state is dropped; the trace goes on without it.
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
    /// <param name="traceState">The value of <c>tracestate</c>; null for none. One of more than 512 characters is dropped.</param>
    /// <returns>Default for a context that is missing or malformed.</returns>
    public static ActivityContext ParseContext(string? traceParent, string? traceState)
    {
        // The library takes any characters for the hyphens.
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

    /// <summary>A call that received messages, or failed, as a span that has ended. It links to the messages' creation contexts.</summary>
    /// <param name="destination">Where it received.</param>
    /// <param name="startedAt">When the call began.</param>
    /// <param name="endedAt">When it ended.</param>
    /// <param name="messages">One context per message; default for a message without one.</param>
    /// <param name="errorType">What went wrong, in a word; null on success.</param>
    /// <param name="description">The same for people; null on success.</param>
    public static void Received(
        MessageDestination destination, DateTimeOffset startedAt, DateTimeOffset endedAt, IReadOnlyCollection<ActivityContext> messages, string? errorType = null, string? description = null)
    {
        Activity? span = StartAside("receive", "receive", destination, default, [.. messages.Where(context => context != default).Select(context => new ActivityLink(context))], startedAt);
        span?.SetTag("messaging.batch.message_count", messages.Count);
        if (errorType is not null)
        {
            Fail(span, errorType, description);
        }

        span?.SetEndTime(endedAt.UtcDateTime);
        End(span);
    }

    /// <summary>The settlement of one message, as a child of its span; end it with <see cref="End"/>. Null for a message without a span.</summary>
    /// <param name="destination">Where the message came from.</param>
    /// <param name="message">The message's span.</param>
    public static Activity? StartSettle(MessageDestination destination, Activity? message)
    {
        Activity? span = message is null ? null : StartAside("settle", "settle", destination, message.Context);
        return span?.SetTag(MessageId, message!.GetTagItem(MessageId));
    }

    /// <summary>The settlement of several messages in one call: a child of the span of a single message, and linked to those of several. End it with <see cref="End"/>.</summary>
    /// <param name="destination">Where the messages came from.</param>
    /// <param name="messages">One span per message; null for a message without one. Without any span the settlement has none.</param>
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

    /// <summary>A call of another service on behalf of the current span, linked where it is made for several messages. Becomes the current span.</summary>
    /// <param name="name">Its name, such as <c>S3.PutObject</c>.</param>
    /// <param name="tags">Its attributes.</param>
    public static Activity? StartCall(string name, IEnumerable<KeyValuePair<string, object?>> tags) =>
        Source.StartActivity(name, ActivityKind.Client, default(ActivityContext), tags, CallLinks.Value);

    /// <summary>Marks a span as failed; null is no span.</summary>
    /// <param name="span">The span.</param>
    /// <param name="errorType">What went wrong, in a word that is the same for all failures of the kind.</param>
    /// <param name="description">The same for people.</param>
    public static void Fail(Activity? span, string errorType, string? description) => span?.SetTag("error.type", errorType).SetStatus(ActivityStatusCode.Error, description);

    /// <summary>Ends a span that is not the current one; null is no span.</summary>
    public static void End(Activity? span)
    {
        if (span is not null)
        {
            Activity? current = Activity.Current;
            span.Dispose();
            SetCurrent(current);
        }
    }

    /// <summary>Marks a span as failed by an exception; null is no span.</summary>
    internal static void Fail(Activity? span, Exception exception) => Fail(span, exception.GetType().FullName!, exception.Message);

    /// <summary>An attempt at a message, as a child of its creation context. Becomes the current span.</summary>
    internal static Activity? StartProcess(MessageDestination destination, ReceivedMessage message)
    {
        Activity? span = Start("process", "process", ActivityKind.Consumer, destination, message.CreationContext);
        return span?.SetTag(MessageId, UntrustedText.Shorten(message.SourceId.Span));
    }

    /// <summary>The handling of a batch, linked to its messages' spans. Becomes the current span.</summary>
    internal static Activity? StartProcessBatch(MessageDestination destination, IReadOnlyCollection<Activity?> messages) =>
        Start("process", "process", ActivityKind.Consumer, destination, default, LinksTo(messages))?.SetTag("messaging.batch.message_count", messages.Count);

    /// <summary>A call that sends messages, below the current span. Becomes the current span, whose context the messages carry.</summary>
    internal static Activity? StartSend(MessageDestination destination) =>
        Source.StartActivity($"send {destination.Name}", ActivityKind.Producer, default(ActivityContext), TagsOf("send", "send", destination));

    /// <summary>Calls from here on in the caller's asynchronous method are made for several messages: their spans link to the messages' spans.</summary>
    internal static void LinkCalls(IReadOnlyCollection<Activity?> messages) => CallLinks.Value = LinksTo(messages);

    private static ActivityLink[] LinksTo(IEnumerable<Activity?> messages) => [.. messages.OfType<Activity>().Select(message => new ActivityLink(message.Context))];

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
        string operation, string type, ActivityKind kind, MessageDestination destination, ActivityContext parent, ActivityLink[]? links = null, DateTimeOffset startedAt = default)
    {
        if (parent == default)
        {
            // In place of a missing parent the library takes the current span, which is another message's where threads are shared.
            Activity.Current = null;
        }

        return Source.StartActivity($"{operation} {destination.Name}", kind, parent, TagsOf(operation, type, destination), links, startedAt);
    }

    // Given at the start, so that samplers see them.
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
