using System.Text;
using System.Threading.Channels;
using Quayside.Messaging.Sinks;

namespace Messaging.Tests.Sinks.Bundles;

/// <summary>A sink that a test answers, one by one or by a rule. Records its objects.</summary>
internal sealed class ScriptedSink : IObjectSink
{
    private readonly Channel<RecordedPut> _puts = Channel.CreateUnbounded<RecordedPut>();

    /// <summary>Answers immediately when set.</summary>
    public Func<RecordedPut, SinkResult>? Rule { get; set; }

    public bool IsDisposed { get; private set; }

    public bool HasStoppedWaiting { get; private set; }

    /// <summary>Number of objects that arrived and were not read yet.</summary>
    public int Unread => _puts.Reader.Count;

    public Task CheckAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public async ValueTask<SinkResult> StoreAsync(ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, CancellationToken cancellationToken)
    {
        RecordedPut put = new(Encoding.UTF8.GetString(key.Span), body.ToArray(), cancellationToken);
        _puts.Writer.TryWrite(put).ShouldBeTrue();
        return Rule?.Invoke(put) ?? await put.Answered;
    }

    public void StopWaiting() => HasStoppedWaiting = true;

    /// <summary>The next object, awaited with a timeout for slow machines.</summary>
    public async Task<RecordedPut> NextAsync() =>
        await _puts.Reader.ReadAsync(TestContext.Current.CancellationToken).AsTask().WaitAsync(Intake.TestMessage.WaitLimit);

    public string Locate(string key) => $"scripted:{key}";

    public ValueTask DisposeAsync()
    {
        IsDisposed = true;
        return default;
    }
}
