using System.Text;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Quayside.Messaging.Hosting;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Testing;

/// <summary>
/// A whole worker in memory, with the real routes, retries, dead letters and shutdown. The test sends messages and can await the outcome of
/// each. The worker reads no file, environment variable or signal of the test process. Threads: any.
/// </summary>
public sealed class TestWorker : IAsyncDisposable
{
    /// <summary>The name of the source that messages are sent to. A route whose configuration names no source has this one.</summary>
    public const string Source = "Test";

    /// <summary>The name of the sink that keeps what it gets in <see cref="Stored"/>, for <c>Routes:{name}:Sink</c>.</summary>
    public const string Sink = "Test";

    private static readonly UTF8Encoding StrictUtf8 = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(60);

    private readonly IHost _host;
    private readonly TestSourceFeature _sources;

    private TestWorker(IHost host, TestSourceFeature sources, MemoryObjectSink stored, RecordingLog log, MemoryDeadLetters deadLetters)
    {
        _host = host;
        _sources = sources;
        Stored = stored;
        Log = log;
        DeadLetters = deadLetters;
    }

    /// <summary>The worker's container.</summary>
    public IServiceProvider Services => _host.Services;

    /// <summary>What the worker has logged.</summary>
    public RecordingLog Log { get; }

    /// <summary>What routes have stored in the sink <c>Test</c>.</summary>
    public MemoryObjectSink Stored { get; }

    /// <summary>The dead letters of all routes.</summary>
    public MemoryDeadLetters DeadLetters { get; }

    /// <summary>Starts a worker that receives.</summary>
    /// <param name="configure">Adds handlers, sinks and parts, as in the program under test.</param>
    /// <param name="configuration">
    /// Keys and values, such as <c>Routes:orders:Handler</c> and <c>Orders</c>. There is no other configuration, and three defaults differ, so that
    /// tests run in parallel and do not wait: <c>Hosting:Url</c> has the port 0, with which the system chooses a free one;
    /// <c>Recoverability:BackoffBase</c> and <c>BackoffCap</c> are 1 ms and 10 ms unless the test sets a backoff; <c>BreakerOpen</c> is 100 ms.
    /// </param>
    /// <param name="time">The clock of retries, redelivery and timeouts, such as a <see cref="ManualTimeProvider"/>; null for the system's.</param>
    /// <param name="cancellationToken">Cancels the start.</param>
    /// <exception cref="Configuration.ConfigurationException">The configuration is wrong; the exception lists every problem.</exception>
    public static async Task<TestWorker> StartAsync(
        Action<IMessageWorkerBuilder> configure, IEnumerable<KeyValuePair<string, string?>> configuration, TimeProvider? time = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(configure);
        RecordingLog log = new();
        MemoryDeadLetters deadLetters = new();
        TestSourceFeature sources = new();
        MemoryObjectSink stored = new();
        IHost host = TestHost.Build(
            worker =>
            {
                worker.AddSource(sources).AddSink(new TestSinkFeature(stored));
                configure(worker);
            },
            WithSources([.. configuration]),
            log,
            deadLetters,
            time ?? TimeProvider.System);
        try
        {
            await host.StartAsync(cancellationToken);
        }
        catch
        {
            host.Dispose();
            throw;
        }

        return new TestWorker(host, sources, stored, log, deadLetters);
    }

    /// <summary>Sends a message and returns immediately.</summary>
    /// <param name="body">The body; copied.</param>
    /// <param name="id">The message's id; null for a new one.</param>
    /// <param name="route">The route; null for the only one.</param>
    /// <param name="attributes">Named values beside the body; null for none.</param>
    /// <param name="group">The message's group; null for none.</param>
    public SentMessage Send(
        ReadOnlySpan<byte> body, string? id = null, string? route = null, IReadOnlyList<KeyValuePair<string, string>>? attributes = null, string? group = null)
    {
        SentMessage message = new(id ?? Guid.CreateVersion7().ToString(), body.ToArray(), attributes ?? []) { Group = group };
        _sources.Find(route).Send(message);
        return message;
    }

    /// <summary>Sends a message and waits until it is completed or dead-lettered, over all its retries and redeliveries.</summary>
    /// <inheritdoc cref="Send"/>
    /// <exception cref="TimeoutException">It was neither within 60 s; the exception lists its settlements and the last lines of the log.</exception>
    public Task<Settlement> SendAsync(
        ReadOnlyMemory<byte> body, string? id = null, string? route = null, IReadOnlyList<KeyValuePair<string, string>>? attributes = null) =>
        WhenSettledAsync(Send(body.Span, id, route, attributes));

    /// <inheritdoc cref="SendAsync(ReadOnlyMemory{byte}, string, string, IReadOnlyList{KeyValuePair{string, string}})"/>
    public Task<Settlement> SendAsync(byte[] body, string? id = null, string? route = null, IReadOnlyList<KeyValuePair<string, string>>? attributes = null) =>
        SendAsync(new ReadOnlyMemory<byte>(body), id, route, attributes);

    /// <summary>
    /// Sends a text as UTF-8, such as JSON, and waits until the message is completed or dead-lettered, over all its retries and redeliveries.
    /// </summary>
    /// <param name="json">The text. For a body that is not UTF-8, pass bytes.</param>
    /// <param name="id">The message's id; null for a new one.</param>
    /// <param name="route">The route; null for the only one.</param>
    /// <param name="attributes">Named values beside the body; null for none.</param>
    /// <exception cref="ArgumentException">The text has a lone surrogate, or there is no such route.</exception>
    /// <exception cref="TimeoutException">It was neither within 60 s; the exception lists its settlements and the last lines of the log.</exception>
    public Task<Settlement> SendAsync(string json, string? id = null, string? route = null, IReadOnlyList<KeyValuePair<string, string>>? attributes = null) =>
        SendAsync(StrictUtf8.GetBytes(json), id, route, attributes);

    /// <summary>
    /// Writes a message as the handler of its type reads it, sends it, and waits until it is completed or dead-lettered, over all its retries and redeliveries.
    /// </summary>
    /// <typeparam name="T">The type that a handler of the worker was added for; the declared type counts, not the run-time type.</typeparam>
    /// <param name="message">The message, written with the <c>JsonTypeInfo</c> of that handler.</param>
    /// <param name="id">The message's id; null for a new one.</param>
    /// <param name="route">The route; null for the only one.</param>
    /// <param name="attributes">Named values beside the body; null for none.</param>
    /// <exception cref="InvalidOperationException">No handler of the worker reads <typeparamref name="T"/>, or several read it with different
    /// options.</exception>
    /// <exception cref="TimeoutException">It was neither within 60 s; the exception lists its settlements and the last lines of the log.</exception>
    public Task<Settlement> SendAsync<T>(T message, string? id = null, string? route = null, IReadOnlyList<KeyValuePair<string, string>>? attributes = null) =>
        SendAsync(_host.Services.GetRequiredService<MessageWriter>().Write(message), id, route, attributes);

    /// <summary>Waits until a message is completed or dead-lettered.</summary>
    /// <exception cref="TimeoutException">It was neither within 60 s; the exception lists its settlements and the last lines of the log.</exception>
    public async Task<Settlement> WhenSettledAsync(SentMessage message)
    {
        ArgumentNullException.ThrowIfNull(message);
        try
        {
            return await message.WhenSettled.WaitAsync(Limit);
        }
        catch (TimeoutException exception)
        {
            string settlements = message.Settlements is { Count: > 0 } all ? string.Join(", ", all) : "none";
            string log = string.Join(Environment.NewLine, Log.Entries.TakeLast(20).Select(entry => entry.Text));
            throw new TimeoutException(
                $"Message {message.Id} is not settled after {Limit.TotalSeconds} s. Settlements: {settlements}. Log:{Environment.NewLine}{log}", exception);
        }
    }

    /// <summary>Stops the worker as SIGTERM does: messages in flight are finished, others stay unsettled. A second call has no effect.</summary>
    public Task StopAsync(CancellationToken cancellationToken = default) => _host.StopAsync(cancellationToken);

    /// <summary>Stops the worker, and disposes its container.</summary>
    public async ValueTask DisposeAsync()
    {
        await StopAsync();
        await ((IAsyncDisposable)_host).DisposeAsync();
    }

    private static IEnumerable<KeyValuePair<string, string?>> WithSources(IReadOnlyCollection<KeyValuePair<string, string?>> configuration)
    {
        ILookup<string, string[]> routes = configuration
            .Select(pair => pair.Key.Split(':'))
            .Where(key => key.Length > 2 && key[0].Equals("Routes", StringComparison.OrdinalIgnoreCase))
            .ToLookup(key => key[1], StringComparer.OrdinalIgnoreCase);
        return
        [
            .. routes
                .Where(route => !route.Any(key => key[2].Equals("Source", StringComparison.OrdinalIgnoreCase)))
                .Select(route => KeyValuePair.Create<string, string?>($"Routes:{route.Key}:Source", Source)),
            .. configuration,
        ];
    }
}
