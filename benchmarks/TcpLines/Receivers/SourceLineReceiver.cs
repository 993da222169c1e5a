using System.Net;
using Benchmarks.Receiving;
using Pipeline.Buffers;
using Worker.Sources.TcpLines;

namespace Benchmarks.TcpLines.Receivers;

/// <summary>The worker's source as routes use it, with a route that completes each message at once.</summary>
internal sealed class SourceLineReceiver : IReceiver
{
    private readonly TcpLinesMessageSource _source;
    private readonly NullIntake _intake = new();
    private readonly CancellationTokenSource _stop = new();
    private Task _receiving = Task.CompletedTask;

    public SourceLineReceiver(bool acknowledge)
    {
        TcpLinesSourceOptions options = new() { Endpoint = "127.0.0.1:0", Acknowledge = acknowledge };
        _source = new TcpLinesMessageSource(NullSourceServices.Create(), options, new BufferPool());
        _source.CheckAsync(CancellationToken.None).GetAwaiter().GetResult();
    }

    public int Port => ((IPEndPoint)_source.Endpoint!).Port;

    public long Received => _intake.Received;

    public void Start() => _receiving = _source.ReceiveAsync(_intake, _stop.Token);

    public void Dispose()
    {
        _stop.Cancel();
        _receiving.GetAwaiter().GetResult();
        _source.DisposeAsync().AsTask().GetAwaiter().GetResult();
        _stop.Dispose();
    }
}
