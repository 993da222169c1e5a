using System.Net;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Sockets.TcpLines;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Buffers;

namespace Messaging.Tests.Sockets.TcpLines;

/// <summary>A TCP lines source on a free port or with a fake listener, with a clock that the test moves and a scripted route.</summary>
internal sealed class TcpLinesRun : IAsyncDisposable
{
    private readonly CancellationTokenSource _stop = new();
    private readonly BufferPool _buffers = new(new PoisoningArrayPool());

    public TcpLinesRun(Action<TcpLinesSourceOptions>? configure = null, ILineListener? listener = null)
    {
        Func<TcpLinesSourceOptions, ILineListener> listen = SocketLineListener.Open;
        if (listener is not null)
        {
            listen = _ => listener;
        }

        TcpLinesSourceOptions options = new() { Endpoint = "127.0.0.1:0", Acknowledge = true };
        configure?.Invoke(options);
        ServiceProvider none = new ServiceCollection().BuildServiceProvider();
        Source = new TcpLinesMessageSource(new SourceServices
        {
            Route = "orders",
            Services = none,
            DeadLetters = DeadLetters,
            Loggers = Log,
            Time = Time,
            Concurrency = 64,
            Metrics = Metrics,
        }, options, _buffers)
        { Listen = listen };
    }

    public TcpLinesMessageSource Source { get; }

    public TestIntake Intake { get; } = new();

    public ManualTimeProvider Time { get; } = new();

    public MemoryDeadLetters DeadLetters { get; } = new();

    public RecordingLog Log { get; } = new();

    /// <summary>The counters of the route.</summary>
    public RouteMetrics Metrics { get; } = new("orders");

    public Task Receiving { get; private set; } = Task.CompletedTask;

    public IPEndPoint Endpoint => (IPEndPoint)Source.Endpoint!;

    public static async Task<TcpLinesRun> StartAsync(
        Action<TcpLinesSourceOptions>? configure = null, Func<Delivery, Quayside.Pipeline.Settlements.Settlement?>? script = null,
        ILineListener? listener = null)
    {
        TcpLinesRun run = new(configure, listener);
        run.Intake.Script = script;
        await run.Source.CheckAsync(CancellationToken.None);
        run.Receiving = run.Source.ReceiveAsync(run.Intake, run._stop.Token);
        return run;
    }

    public Task<LineClient> ConnectAsync(int? receiveBuffer = null) => LineClient.ConnectAsync(Endpoint, receiveBuffer: receiveBuffer);

    /// <summary>Polls, because the condition changes on other threads.</summary>
    public static async Task UntilAsync(Func<bool> condition, string what)
    {
        for (int attempt = 0; !condition(); attempt++)
        {
            attempt.ShouldBeLessThan(12_000, what);
            await Task.Delay(10);
        }
    }

    /// <summary>
    /// Lets at most this much time pass, in ticks of the source's watch, until every connection has ended; then waits for that without moving
    /// the clock. A tick passes over a connection that is just handling bytes.
    /// </summary>
    public async Task PassUntilClosedAsync(TimeSpan time)
    {
        await PassAsync(time);
        await UntilAsync(() => Source.Connections.Count == 0, $"A connection is open after {time}.");
    }

    /// <summary>Lets this much time pass in ticks of the source's watch, or less when every connection has ended.</summary>
    public async Task PassAsync(TimeSpan time)
    {
        TimeSpan tick = TimeSpan.FromMilliseconds(500);
        for (TimeSpan passed = TimeSpan.Zero; passed < time && Source.Connections.Count > 0; passed += tick)
        {
            Time.Advance(tick);
            await Task.Delay(10);
        }
    }

    public async Task StopReceivingAsync()
    {
        await _stop.CancelAsync();
        await Receiving.WaitAsync(TimeSpan.FromSeconds(30));
    }

    /// <summary>Stops as the host does, and asserts that no message, slot or buffer is left.</summary>
    public async Task FinishAsync()
    {
        await StopReceivingAsync();
        using CancellationTokenSource limit = new(TimeSpan.FromSeconds(30));
        await Source.DrainAsync(Intake, limit.Token);
        limit.IsCancellationRequested.ShouldBeFalse("A drain ends by itself once nothing is left.");
        await Intake.DrainAsync(limit.Token);
        Task closing = Source.CloseAsync(limit.Token);
        while (!closing.IsCompleted)
        {
            // Ends the linger for senders that do not close their half.
            Time.Advance(TimeSpan.FromSeconds(1));
            await Task.WhenAny(closing, Task.Delay(10));
        }

        await closing;
        await Source.DisposeAsync();
        Intake.Failures.ShouldBeEmpty();
        Intake.Balance.ShouldBe(0, "Every reserved slot is used or released.");
        _buffers.Outstanding.ShouldBe(0, "Every rented buffer is returned.");
        Source.Connections.Count.ShouldBe(0);
        Log.Entries.ShouldNotContain(entry => entry.Id.Id == 3456, "A defect was logged.");
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await Source.DisposeAsync();
        _stop.Dispose();
    }
}
