using BenchmarkDotNet.Attributes;

namespace Lab.Techniques.Mailboxes;

/// <summary>Ten thousand messages through a mailbox; figures per message.</summary>
public class MailboxBenchmarks
{
    private const int Messages = 10_000;
    private readonly object[] _messages = [.. Enumerable.Range(0, Messages).Select(_ => new object())];
    private readonly ConcurrentQueueMailbox _concurrentQueue = new();
    private readonly LockedListMailbox _lockedList = new();
    private readonly LockedQueueMailbox _lockedQueue = new();
    private readonly ChannelMailbox _channel = new();

    [GlobalSetup]
    public async Task Setup()
    {
        Agreement.Require(Messages, ConcurrentQueue(), LockedLinkedList(), LockedQueue(), Channel());
        Agreement.Require(
            Messages, await ConcurrentQueueAcrossThreads(), await LockedLinkedListAcrossThreads(), await LockedQueueAcrossThreads(),
            await ChannelAcrossThreads());
    }

    [Benchmark(Baseline = true, OperationsPerInvoke = Messages)]
    public int ConcurrentQueue() => Post.OnOneThread(_concurrentQueue, _messages);

    [Benchmark(OperationsPerInvoke = Messages)]
    public int LockedLinkedList() => Post.OnOneThread(_lockedList, _messages);

    [Benchmark(OperationsPerInvoke = Messages)]
    public int LockedQueue() => Post.OnOneThread(_lockedQueue, _messages);

    [Benchmark(OperationsPerInvoke = Messages)]
    public int Channel() => Post.OnOneThread(_channel, _messages);

    [Benchmark(OperationsPerInvoke = Messages)]
    public Task<int> ConcurrentQueueAcrossThreads() => Post.AcrossThreadsAsync(_concurrentQueue, _messages);

    [Benchmark(OperationsPerInvoke = Messages)]
    public Task<int> LockedLinkedListAcrossThreads() => Post.AcrossThreadsAsync(_lockedList, _messages);

    [Benchmark(OperationsPerInvoke = Messages)]
    public Task<int> LockedQueueAcrossThreads() => Post.AcrossThreadsAsync(_lockedQueue, _messages);

    [Benchmark(OperationsPerInvoke = Messages)]
    public Task<int> ChannelAcrossThreads() => Post.AcrossThreadsAsync(_channel, _messages);
}
