using Messaging.Configuration;
using Messaging.Routes;

namespace Messaging.Sinks.Memory;

/// <summary>The sink <c>Memory</c>: for tests and for profiling everything but the sink. Nothing survives the process.</summary>
internal sealed class MemorySinkFeature : ISinkFeature
{
    // Their messages are deleted once the sink has them, and nothing else holds a copy.
    private static readonly string[] Queues = ["Sqs", "ServiceBus"];

    // Their senders are told that a message is stored.
    private static readonly string[] Answering = ["Http", "TcpLines"];

    public string Name => "Memory";

    public Func<SinkServices, ISink> Configure(SettingsReader settings, string route)
    {
        MemorySinkOptions options = settings.Read<MemorySinkOptions>(MemorySinkOptions.Section, route);
        string[] sources = settings.Read<RouteOptions>($"Routes:{route}", RouteOptions.Overrides).Source;
        string key = $"Routes:{route}:Sink";
        if (Named(sources, Queues) is { } queue)
        {
            if (options.AllowLoss)
            {
                settings.Warn(key, Name, $"keeps objects only as long as the process runs ({MemorySinkOptions.Section}:{nameof(options.AllowLoss)} allows it).", $"Messages of {queue} are deleted from the queue and gone when the process ends.");
            }
            else
            {
                settings.Fail(
                    key,
                    Name,
                    $"must be a sink that keeps what it stores, because the route receives from {queue}; set {MemorySinkOptions.Section}:{nameof(options.AllowLoss)}=true for a test or a measurement.",
                    "Messages would be deleted from the queue and gone when the process ends.");
            }
        }
        else if (Named(sources, Answering) is { } answering)
        {
            settings.Warn(key, Name, $"keeps objects only as long as the process runs, while senders of {answering} may be told that they are stored.", "Use Directory or S3 for messages that matter.");
        }

        return _ => new MemorySink(options);
    }

    private static string? Named(string[] sources, string[] kinds) =>
        string.Join(", ", kinds.Where(kind => sources.Contains(kind, StringComparer.OrdinalIgnoreCase))) is { Length: > 0 } names ? names : null;
}
