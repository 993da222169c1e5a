using System.Collections.Concurrent;
using System.Net;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Sockets.TcpLines;
using Quayside.Messaging.Sources;
using Quayside.Pipeline.Buffers;

namespace Messaging.Tests.Sockets.TcpLines;

/// <summary>The TCP lines source with one correct sender: it reads its answers, and closes its half when the worker closes its own.</summary>
internal sealed class TcpLinesHarness : SourceHarness
{
    private readonly BufferPool _buffers = new(new PoisoningArrayPool());
    private readonly TcpLinesSourceOptions _options = new() { Endpoint = "127.0.0.1:0" };
    private readonly TcpLinesMessageSource _source;
    private readonly SemaphoreSlim _sending = new(1, 1);
    private readonly ConcurrentQueue<string> _answers = new();
    private LineClient? _client;
    private Task _reading = Task.CompletedTask;
    private int _sent;

    public TcpLinesHarness(Action<TcpLinesSourceOptions>? configure = null)
    {
        configure?.Invoke(_options);
        ServiceProvider none = new ServiceCollection().BuildServiceProvider();
        _source = new TcpLinesMessageSource(new SourceServices
        {
            Route = "orders",
            Services = none,
            DeadLetters = DeadLetters,
            Loggers = Log,
            Time = Time,
            Concurrency = 64,
        }, _options, _buffers);
    }

    public override IMessageSource Source => _source;

    public ManualTimeProvider Time { get; } = new();

    public MemoryDeadLetters DeadLetters { get; } = new();

    public RecordingLog Log { get; } = new();

    public override int OutstandingBuffers => _buffers.Outstanding;

    public override bool AllowsEmptyBodies => false;

    public override bool AllowsAnyBytes => false;

    public override bool KeepsGivenIds => false;

    public override int MaxBodyBytes => _options.MaxLineBytes;

    /// <summary>A line exists only in the process, or is sent again by its sender, who has no answer.</summary>
    public override bool RedeliversAfterCrash => false;

    public override async Task PublishAsync(byte[] body, string? id = null)
    {
        await _sending.WaitAsync();
        try
        {
            if (_client is null)
            {
                _client = await LineClient.ConnectAsync((IPEndPoint)_source.Endpoint!, _options.Certificate is not null);
                _reading = Task.Run(ReadAsync);
            }

            Interlocked.Increment(ref _sent);
            await _client.SendAsync((byte[])[.. body, (byte)'\n']);
        }
        finally
        {
            _sending.Release();
        }
    }

    public override Task AdvanceAsync(TimeSpan time)
    {
        Time.Advance(time);
        return Task.CompletedTask;
    }

    public override async Task<IReadOnlyList<DeadLetteredMessage>> DeadLettersAsync(int expected)
    {
        await UntilAsync(() => DeadLetters.Messages.Count >= expected, "The dead letters did not arrive.");
        return DeadLetters.Messages;
    }

    public override async Task WaitUntilEmptyAsync()
    {
        await UntilAsync(() => Intake.Accepted >= Volatile.Read(ref _sent) && _source.InMemory.Unsettled == 0, "Some lines were not settled.");
        if (_options.Acknowledge)
        {
            await UntilAsync(() => _answers.Count == Volatile.Read(ref _sent), "Some lines were not answered.");
            _answers.Distinct(StringComparer.Ordinal).Count().ShouldBe(_sent, "Each line is answered once.");
        }
        else
        {
            _answers.ShouldBeEmpty("Without acknowledgements the worker sends no answer.");
        }
    }

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        await _reading;
        if (_client is not null)
        {
            await _client.DisposeAsync();
        }

        _sending.Dispose();
    }

    private async Task ReadAsync()
    {
        while (await _client!.ReadAsync() is { } answer)
        {
            _answers.Enqueue(answer);
        }

        await _client.DisposeAsync();
    }
}
