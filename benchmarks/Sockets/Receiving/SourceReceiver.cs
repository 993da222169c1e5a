using System.Net;
using Quayside.Messaging.Sources;

namespace Benchmarks.Sockets.Receiving;

/// <summary>A source of the worker as routes use it, with a route that completes each message immediately.</summary>
internal sealed class SourceReceiver : IReceiver
{
    private readonly IMessageSource _source;
    private readonly Func<EndPoint?> _endpoint;
    private readonly NullIntake _intake = new();
    private readonly CancellationTokenSource _stop = new();
    private Task _receiving = Task.CompletedTask;

    /// <param name="source">The source, which starts to listen here and is disposed with this object.</param>
    /// <param name="endpoint">Returns the endpoint on which it then listens.</param>
    public SourceReceiver(IMessageSource source, Func<EndPoint?> endpoint)
    {
        _source = source;
        _endpoint = endpoint;
        _source.CheckAsync(CancellationToken.None).GetAwaiter().GetResult();
    }

    public int Port => ((IPEndPoint)_endpoint()!).Port;

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
