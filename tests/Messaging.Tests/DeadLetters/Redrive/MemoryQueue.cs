using Quayside.Messaging.Configuration;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.DeadLetters.Redrive;
using Quayside.Messaging.Publishing;
using Quayside.Messaging.Sources;

namespace Messaging.Tests.DeadLetters.Redrive;

/// <summary>The source <c>Memory</c> with a dead-letter queue of its own: a stranger's.</summary>
internal sealed class MemoryQueue(int count) : ISourceFeature, IRedriveFeature, IDeadLetterQueue
{
    private int _received;

    public List<string> Letters { get; } = [.. Enumerable.Range(1, count).Select(NameOf)];

    /// <summary>What was sent and deleted, in order.</summary>
    public List<string> Calls { get; } = [];

    /// <summary>Runs before a dead letter is deleted.</summary>
    public Func<Task> Deleting { get; set; } = static () => Task.CompletedTask;

    /// <summary>The failure of a receive, by its number from 1; null lets it succeed.</summary>
    public Func<int, Exception?> FailReceive { get; set; } = static _ => null;

    public SentTo Answer { get; set; } = SentTo.Queue;

    public RedriveRequest? Request { get; private set; }

    public bool IsDisposed { get; private set; }

    public string Name => "Memory";

    public IReadOnlyList<SettingsSection> Settings => [];

    public SourcePlan Configure(SettingsReader settings, string route) => throw new NotSupportedException();

    public Func<CommandServices, CancellationToken, Task<IDeadLetterQueue>> ConfigureRedrive(SettingsReader settings, RedriveRequest request)
    {
        Request = request;
        return (_, _) => Task.FromResult<IDeadLetterQueue>(this);
    }

    public ValueTask<(long Count, long Hidden)> CountAsync(CancellationToken cancellationToken) => new((Letters.Count, 0));

    public ValueTask<IReadOnlyList<QueuedDeadLetter>?> ReceiveAsync(CancellationToken cancellationToken)
    {
        string name = NameOf(++_received);
        return FailReceive(_received) is { } fault
            ? ValueTask.FromException<IReadOnlyList<QueuedDeadLetter>?>(fault)
            : new(_received > count ? null : [new QueuedDeadLetter(name, name, "r", message: null) { Receipt = name }]);
    }

    public ValueTask<SentTo> SendBackAsync(QueuedDeadLetter letter, CancellationToken cancellationToken)
    {
        Calls.Add($"send {letter.Name}");
        return new(Answer);
    }

    public async ValueTask DeleteAsync(QueuedDeadLetter letter, CancellationToken cancellationToken)
    {
        await Deleting();
        Calls.Add($"delete {letter.Name}");
        Letters.Remove(letter.Name);
    }

    public ValueTask ReleaseAsync(IReadOnlyCollection<object> receipts, CancellationToken cancellationToken)
    {
        Calls.AddRange(receipts.Select(static receipt => $"release {receipt}"));
        return default;
    }

    public DeadLetter Describe(QueuedDeadLetter letter) => throw new NotSupportedException();

    public QueueFault? Explain(Exception exception) =>
        exception is IOException ? new(exception.Message, new StartupException($"Queue memory: {exception.Message}.", ExitCodes.Unavailable)) : null;

    public ValueTask DisposeAsync()
    {
        IsDisposed = true;
        return default;
    }

    private static string NameOf(int number) => $"m-{number}";
}
