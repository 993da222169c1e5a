using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Hosting;

namespace Quayside.Messaging.Testing;

/// <summary>Builds workers that see no setting, file, signal or console of the process they run in.</summary>
internal static class TestHost
{
    public static IHost Build(
        Action<IMessageWorkerBuilder> configure, IEnumerable<KeyValuePair<string, string?>> configuration, RecordingLog log, MemoryDeadLetters deadLetters,
        TimeProvider time)
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(settings: null);
        KeyValuePair<string, string?>[] given = [.. configuration];
        builder.Logging.AddProvider(log).SetMinimumLevel(LogLevel.Trace);
        builder.Services.AddSingleton(time).AddSingleton<IDeadLetterStore>(deadLetters);
        bool hasUrl = false;
        builder.AddMessageWorker(worker =>
        {
            TestWorkerBuilder seen = new(worker);
            configure(seen);
            hasUrl = seen.HasUrl;
            worker.Services.AddSingleton(new MessageWriter(seen.Handlers));
        });

        // Read when the host is built. The later source wins.
        builder.Configuration.AddInMemoryCollection(DefaultsBeside(given, hasUrl)).AddInMemoryCollection(given);

        // The last one counts: the test runner's signals stay with the test runner.
        builder.Services.AddSingleton<IHostLifetime, NoLifetime>();
        return builder.Build();
    }

    /// <summary>Tests run in parallel, so no port is fixed; and they wait for retries, so these are short unless the test sets a backoff.</summary>
    private static IEnumerable<KeyValuePair<string, string?>> DefaultsBeside(KeyValuePair<string, string?>[] given, bool hasUrl)
    {
        if (hasUrl)
        {
            yield return new("Hosting:Url", "http://127.0.0.1:0");
        }

        if (!given.Any(pair => pair.Key.Contains("Recoverability:Backoff", StringComparison.OrdinalIgnoreCase)))
        {
            yield return new("Recoverability:BackoffBase", "1ms");
            yield return new("Recoverability:BackoffCap", "10ms");
        }

        yield return new("Recoverability:BreakerOpen", "100ms");
    }

    private sealed class NoLifetime : IHostLifetime
    {
        public Task WaitForStartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }
}
