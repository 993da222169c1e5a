using Messaging.DeadLetters;
using Messaging.Hosting;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Messaging.Testing;

/// <summary>Builds workers that see no setting, file, signal or console of the process they run in.</summary>
internal static class TestHost
{
    public static IHost Build(
        Action<IMessageWorkerBuilder> configure, IEnumerable<KeyValuePair<string, string?>> configuration, RecordingLog log, MemoryDeadLetters deadLetters, TimeProvider time)
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(settings: null);
        builder.Configuration.AddInMemoryCollection(configuration);
        builder.Logging.AddProvider(log).SetMinimumLevel(LogLevel.Trace);
        builder.Services.AddSingleton(time).AddSingleton<IDeadLetterStore>(deadLetters);
        builder.AddMessageWorker(configure);

        // The last one counts: the test runner's signals stay with the test runner.
        builder.Services.AddSingleton<IHostLifetime, NoLifetime>();
        return builder.Build();
    }

    private sealed class NoLifetime : IHostLifetime
    {
        public Task WaitForStartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }
}
