using System.Text;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Storage;
using Tests.Shared.Files;

namespace Messaging.Tests.Storage;

/// <summary>Hanging file calls block a thread of the sink, never the caller's.</summary>
public sealed class DirectorySinkHangTests : IAsyncDisposable
{
    private static readonly TimeSpan WaitLimit = TimeSpan.FromSeconds(30);

    private readonly TemporaryFolder _folder = new();
    private readonly DirectorySink _sink;

    public DirectorySinkHangTests() => _sink = new DirectorySink(
        new DirectorySinkOptions { Path = _folder.Path, Threads = 2 }, new SinkServices { Services = null! });

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public async ValueTask DisposeAsync()
    {
        await _sink.DisposeAsync();
        _folder.Dispose();
    }

    [Fact]
    public async Task Store_FileCallHangs_ReturnsToTheCallerImmediately()
    {
        using HangingFile file = new(_folder["hanging"]);
        await _sink.CheckAsync(Token);

        // On another thread; otherwise the test would hang too.
        Task<Task<SinkResult>> call = Task.Factory.StartNew(() => StoreAsync("hanging", Token), TaskCreationOptions.LongRunning);
        Task<SinkResult> storing = await call.WaitAsync(WaitLimit, Token);

        storing.IsCompleted.ShouldBeFalse();
        file.Release();
        (await storing.WaitAsync(WaitLimit, Token)).Status.ShouldBe(SinkStatus.Rejected, "A FIFO is no object.");
    }

    [Fact]
    public async Task Store_EveryThreadHangs_WaitingOnesCanBeCancelled()
    {
        using HangingFile first = new(_folder["1"]);
        using HangingFile second = new(_folder["2"]);
        await _sink.CheckAsync(Token);
        Task<SinkResult>[] hanging = [StoreAsync("1", Token), StoreAsync("2", Token)];
        using CancellationTokenSource cancellation = new();
        Task<SinkResult> waiting = StoreAsync("3", cancellation.Token);
        waiting.IsCompleted.ShouldBeFalse();

        await cancellation.CancelAsync();

        await Should.ThrowAsync<OperationCanceledException>(() => waiting.WaitAsync(WaitLimit, Token));
        first.Release();
        second.Release();
        await Task.WhenAll(hanging).WaitAsync(WaitLimit, Token);
        (await StoreAsync("3", Token)).ShouldBe(SinkResult.Stored);
    }

    private Task<SinkResult> StoreAsync(string key, CancellationToken cancellationToken) =>
        _sink.StoreAsync(Encoding.UTF8.GetBytes(key), "x"u8.ToArray(), cancellationToken).AsTask();
}
