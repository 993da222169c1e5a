using System.Diagnostics;
using System.Text;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Aws.Sqs.Wire;

/// <summary>The trace context of a message: its attribute <c>traceparent</c>, else the X-Ray header of SQS.</summary>
internal static class SqsTraceContext
{
    private const string TraceParent = "traceparent";
    private const string TraceState = "tracestate";

    // Enough for Root, Parent, Sampled and some more fields; a longer header is ignored.
    private const int MaxHeader = 256;

    public static ActivityContext Of(SqsReceivedMessage message)
    {
        ActivityContext context = MessageSpans.ParseContext(message.MessageAttributes.Find("traceparent"u8), message.MessageAttributes.Find("tracestate"u8));
        return context == default ? OfHeader(message.TraceHeader.Span) : context;
    }

    /// <summary>The current context as message attributes; null when there is none.</summary>
    public static IReadOnlyList<SqsMessageAttribute>? Current()
    {
        if (!MessageSpans.TryGetCurrent(out string? parent, out string? state))
        {
            return null;
        }

        SqsMessageAttribute attribute = new(TraceParent, "String", parent);
        return state is null ? [attribute] : [attribute, new SqsMessageAttribute(TraceState, "String", state)];
    }

    // Root=1-{8 hex}-{24 hex};Parent={16 hex};Sampled={0 or 1}: https://docs.aws.amazon.com/xray/latest/devguide/xray-concepts.html
    private static ActivityContext OfHeader(ReadOnlySpan<byte> header)
    {
        if (header.Length is 0 or > MaxHeader)
        {
            return default;
        }

        string root = string.Empty;
        string parent = string.Empty;
        string flags = "00";
        foreach (string field in Encoding.ASCII.GetString(header).Split(';', StringSplitOptions.TrimEntries))
        {
            switch (field.Split('='))
            {
                case ["Root", var value]:
                    root = value;
                    break;
                case ["Parent", var value]:
                    parent = value;
                    break;
                case ["Sampled", "1"]:
                    flags = "01";
                    break;
            }
        }

        return root.Split('-') is ["1", { Length: 8 } time, { Length: 24 } unique]
            ? MessageSpans.ParseContext($"00-{time}{unique}-{parent}-{flags}", traceState: null)
            : default;
    }
}
