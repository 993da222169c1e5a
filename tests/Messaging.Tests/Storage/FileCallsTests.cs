using Quayside.Messaging.Storage;

namespace Messaging.Tests.Storage;

public sealed class FileCallsTests
{
    // Only a hang takes so long, on a busy machine too.
    private static readonly TimeSpan WaitLimit = TimeSpan.FromMinutes(5);

    [Fact]
    public async Task Run_ResultIsReadEarly_ThrowsAndEachCallHasItsOwnResult()
    {
        using SemaphoreSlim allowed = new(0);
        using FileThreads threads = new("test", 1);
        FileCalls<string, string> calls = new(
            threads,
            state =>
            {
                allowed.Wait(TimeSpan.FromSeconds(30)).ShouldBeTrue();
                return state;
            },
            kept: 1);
        ValueTask<string> early = calls.RunAsync("first", CancellationToken.None);

        Should.Throw<InvalidOperationException>(() => early.GetAwaiter().GetResult());
        Task<string> first = early.AsTask();
        Task<string> second = calls.RunAsync("second", CancellationToken.None).AsTask();

        allowed.Release();
        (await first.WaitAsync(WaitLimit)).ShouldBe("first");
        second.IsCompleted.ShouldBeFalse();
        allowed.Release();
        (await second.WaitAsync(WaitLimit)).ShouldBe("second");
    }
}
