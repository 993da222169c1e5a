using System.Collections.Concurrent;
using Messaging.Configuration;
using Messaging.Sources;

namespace Messaging.Testing;

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
            : throw new ArgumentException($"'{route}' is not a route whose source is {TestWorker.Source}. Those are: {string.Join(", ", _sources.Keys)}.", nameof(route));
    }
}
