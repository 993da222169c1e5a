using System.Collections.Concurrent;
using System.Text;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Sources;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Testing;

/// <summary>The source that routes of a <see cref="TestWorker"/> name as <c>Test</c>.</summary>
internal sealed class TestSourceFeature : ISourceFeature
{
    private readonly ConcurrentDictionary<string, TestSource> _sources = new(StringComparer.OrdinalIgnoreCase);

    public string Name => TestWorker.Source;

    public IReadOnlyList<SettingsSection> Settings => [];

    public SourcePlan Configure(SettingsReader settings, string route) => new()
    {
        Create = services => _sources[route] = new TestSource(services),
        KeepsDeadLetters = true,
        OnComplete = CompletionEffect.None,
    };

    /// <summary>The source of a route; null means the only one.</summary>
    /// <exception cref="ArgumentException">There is no such source.</exception>
    public TestSource Find(string? route)
    {
        if (route is null && _sources.Count == 1)
        {
            return _sources.Values.Single();
        }

        return route is not null && _sources.TryGetValue(route, out TestSource? source)
            ? source
            : throw new ArgumentException(
                $"'{route}' is not a route whose source is {TestWorker.Source}. Those are: {string.Join(", ", _sources.Keys)}.", nameof(route));
    }
}

/// <summary>The sink that routes of a <see cref="TestWorker"/> name as <c>Test</c>; one for all of them.</summary>
internal sealed class TestSinkFeature(MemoryObjectSink sink) : ISinkFeature
{
    public string Name => TestWorker.Sink;

    public bool KeepsProperties => true;

    public IReadOnlyList<SettingsSection> Settings => [];

    public SinkPlan Configure(SettingsReader settings, string route) => new() { Create = _ => sink };
}

/// <summary>
/// One delivery of a <see cref="SentMessage"/>, with bytes of its own. The settlement overwrites them, so that a handler that keeps them sees wrong bytes.
/// </summary>
internal sealed class TestSourceMessage(TestSource source, SentMessage message) : ReceivedMessage
{
    private readonly byte[] _body = [.. message.Body];

    public override ReadOnlyMemory<byte> Body => _body;

    public override ReadOnlyMemory<byte> SourceId { get; } = Encoding.UTF8.GetBytes(message.Id);

    public override int DeliveryCount { get; } = ++message.Deliveries;

    public override IReadOnlyList<KeyValuePair<string, string>> Attributes => message.Attributes;

    public override string? Group => message.Group;

    protected override ValueTask SettleCoreAsync(Settlement settlement, CancellationToken cancellationToken)
    {
        Array.Fill(_body, PoisoningArrayPool.Poison);
        return source.SettleAsync(message, settlement, cancellationToken);
    }
}
