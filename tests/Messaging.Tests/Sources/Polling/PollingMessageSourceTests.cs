using System.Collections.Concurrent;
using System.Text;
using Messaging.Tests.Testing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Sources.Polling;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Sources.Polling;

/// <summary>Faults of a subclass: none loses an item, and each is logged.</summary>
public sealed class PollingMessageSourceTests : IAsyncDisposable
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(30);

    private readonly TestIntake _intake = new(concurrency: 4);
    private readonly RecordingLog _log = new();
    private readonly MemoryDeadLetters _deadLetters = new();
    private readonly CancellationTokenSource _stop = new();
    private readonly Table _table;
    private Task _receiving = Task.CompletedTask;

    public PollingMessageSourceTests() => _table = new Table(
        new SourceServices
        {
            Route = "rows",
            Services = new ServiceCollection().BuildServiceProvider(),
            DeadLetters = _deadLetters,
            Loggers = LoggerFactory.Create(logging => logging.AddProvider(_log)),
            Concurrency = 4,
            Name = "Table",
        });

    public async ValueTask DisposeAsync()
    {
        await _table.DisposeAsync();
        _stop.Dispose();
    }

    [Fact]
    public async Task Claim_Fails_IsAProblemUntilItWorksAgain()
    {
        _table.FailsToClaim = 2;
        _table.Rows.Enqueue("a");
        Start();

        await UntilAsync(() => _table.Problem is not null);
        _table.Problem.ShouldBe("Items cannot be claimed: no connection");
        await (await NextAsync()).SettleAsync(Settlement.Complete);

        await UntilAsync(() => _table.Problem is null);
        await StopAsync(3010);
        _table.Completed.ShouldBe(["a"]);
    }

    [Fact]
    public async Task Read_Fails_TheItemIsReadAgainAndNoOtherWaitsForIt()
    {
        _table.FailsToRead["a"] = 2;
        _table.Rows.Enqueue("a");
        _table.Rows.Enqueue("b");
        Start();

        Delivery first = await NextAsync();
        first.Id.ShouldBe("b");
        Delivery second = await NextAsync();
        (second.Id, second.Count).ShouldBe(("a", 1));
        await first.SettleAsync(Settlement.Complete);
        await second.SettleAsync(Settlement.Complete);

        await StopAsync(3011);
        _table.Completed.ShouldBe(["b", "a"]);
    }

    [Theory]
    [InlineData("throws")]
    [InlineData("null")]
    [InlineData("empty")]
    [InlineData("no time")]
    public async Task Identify_FailsForOneOfTenItems_TheOthersAreDeliveredAndItIsNamedUntilItWorks(string how)
    {
        ConcurrentDictionary<string, string> broken = new(StringComparer.Ordinal) { ["6"] = how };
        _table.Broken = broken;
        _table.IgnoresMax = true;
        for (int i = 0; i < 10; i++)
        {
            _table.Rows.Enqueue($"{i}");
        }

        Start();
        for (int i = 0; i < 9; i++)
        {
            await (await NextAsync()).SettleAsync(Settlement.Complete);
        }

        await UntilAsync(() => _table.Warning is not null);
        _table.Warning.ShouldNotBeNull().ShouldStartWith("The source Table: 6 cannot be read: ");
        _table.Problem.ShouldBeNull("The other items pass.");
        broken.Clear();
        Delivery last = await NextAsync();
        (last.Id, last.Count).ShouldBe(("6", 1));
        await last.SettleAsync(Settlement.Complete);

        _table.Warning.ShouldBeNull();
        await StopAsync(3011);
        _table.Completed.Count.ShouldBe(10);
    }

    [Fact]
    public async Task Read_FailsForEveryItem_IsAProblemUntilOneIsRead()
    {
        _table.IgnoresMax = true;
        for (int i = 0; i < 10; i++)
        {
            _table.FailsToRead[$"{i}"] = 1_000_000;
            _table.Rows.Enqueue($"{i}");
        }

        Start();

        await UntilAsync(() => _table.Problem is not null);
        _table.Problem.ShouldNotBeNull().ShouldStartWith("The source Table could read none of the last 10 items; the last one: ");
        _table.Rows.Enqueue("good");
        await (await NextAsync()).SettleAsync(Settlement.Complete);
        _table.Problem.ShouldBeNull();
        await _stop.CancelAsync();
        await _receiving.WaitAsync(Limit);
        await _table.CloseAsync(CancellationToken.None);
        _table.Released.Count.ShouldBe(10, "None stays claimed after the stop.");
    }

    [Fact]
    public async Task Complete_FailsForEveryItem_IsAProblem()
    {
        _table.FailsToComplete = 1_000_000;
        for (int i = 0; i < 10; i++)
        {
            _table.Rows.Enqueue($"{i}");
        }

        Start();
        while (_table.Problem is null)
        {
            await (await NextAsync()).SettleAsync(Settlement.Complete);
        }

        _table.Problem.ShouldNotBeNull().ShouldStartWith("The source Table could complete none of the last 10 items, which are redelivered: locked");
        await _stop.CancelAsync();
        await _receiving.WaitAsync(Limit);
        await _table.CloseAsync(CancellationToken.None);
    }

    [Theory]
    [InlineData(false, "The source Table has a defect: ClaimAsync returned null. Return the claimed items, or an empty list when there are none.")]
    [InlineData(true, "The source Table has a defect: ClaimAsync returned 1 null item(s) of 2. Return only items that were claimed.")]
    public async Task Claim_ReturnsNull_IsAProblemThatSaysWhatToReturn(bool item, string problem)
    {
        _table.Claimed = () => item ? [null!, "a"] : null!;
        Start();

        await UntilAsync(() => _table.Problem is not null);

        _table.Problem.ShouldBe($"Items cannot be claimed: {problem}");
        if (item)
        {
            (await NextAsync()).Id.ShouldBe("a");
        }

        await _stop.CancelAsync();
        await _receiving.WaitAsync(Limit);
    }

    [Fact]
    public async Task Complete_Fails_TheMessageIsRedelivered()
    {
        _table.FailsToComplete = 1;
        _table.Rows.Enqueue("a");
        Start();

        await (await NextAsync()).SettleAsync(Settlement.Complete);
        Delivery again = await NextAsync();
        (again.Id, again.Count).ShouldBe(("a", 2));
        await again.SettleAsync(Settlement.Complete);

        await StopAsync(3012);
        _table.Completed.ShouldBe(["a"]);
    }

    [Fact]
    public async Task DeadLetter_CannotBeWritten_TheMessageIsRedelivered()
    {
        _deadLetters.Fail(times: 1);
        _table.Rows.Enqueue("a");
        Start();

        await (await NextAsync()).SettleAsync(Settlement.DeadLetter("bad", "It is bad."));
        _table.Completed.ShouldBeEmpty();
        await (await NextAsync()).SettleAsync(Settlement.DeadLetter("bad", "It is bad."));

        await StopAsync(3013);
        _table.Completed.ShouldBe(["a"]);
        _deadLetters.Messages.ShouldHaveSingleItem().Body.ShouldBe("body of a"u8.ToArray());
    }

    [Fact]
    public async Task Close_MessagesThatWaitAndInFlight_AreReleased()
    {
        _table.Rows.Enqueue("waits");
        _table.Rows.Enqueue("in flight");
        Start();
        await (await NextAsync()).SettleAsync(Settlement.Abandon(TimeSpan.FromHours(1)));
        Delivery inFlight = await NextAsync();

        await _stop.CancelAsync();
        await _receiving.WaitAsync(Limit);
        await _table.CloseAsync(CancellationToken.None);
        _table.Released.ShouldBe(["waits"]);
        await inFlight.SettleAsync(Settlement.Abandon(TimeSpan.FromHours(1)));

        _table.Released.ShouldBe(["waits", "in flight"]);
        _intake.Balance.ShouldBe(0);
    }

    [Fact]
    public async Task Claim_MoreThanAskedFor_AreDeliveredWhenThereAreSlots()
    {
        _table.IgnoresMax = true;
        for (int i = 0; i < 9; i++)
        {
            _table.Rows.Enqueue($"{i}");
        }

        Start();

        for (int i = 0; i < 9; i++)
        {
            await (await NextAsync()).SettleAsync(Settlement.Complete);
        }

        await StopAsync();
        _table.Completed.Order(StringComparer.Ordinal).ShouldBe(Enumerable.Range(0, 9).Select(i => $"{i}"));
    }

    [Fact]
    public async Task FolderSource_InAWorker_HandlesAndDeadLettersFiles()
    {
        using TemporaryFolder folder = new();
        SampleTable table = new();
        await File.WriteAllTextAsync(Path.Combine(folder.Path, "good"), """{"Number":1}""", TestContext.Current.CancellationToken);
        await File.WriteAllTextAsync(Path.Combine(folder.Path, "bad"), "{", TestContext.Current.CancellationToken);
        await using TestWorker worker = await TestWorker.StartAsync(
            builder =>
            {
                builder.Services.AddSingleton(table);
                builder.AddSource<FolderSource, FolderOptions>("Folder").AddHandler<Sample, InsertSample>("Samples", SampleJson.Default.Sample);
            },
            [new("Routes:files:Source", "Folder"), new("Routes:files:Handler", "Samples"), new("Sources:Folder:Path", folder.Path)]);

        await UntilAsync(() => !Directory.EnumerateFiles(folder.Path, "*", SearchOption.AllDirectories).Any());

        table.Rows.ShouldBe(["row 1"]);
        worker.DeadLetters.Messages.ShouldHaveSingleItem().Id.ShouldBe("bad");
        worker.Services.GetRequiredService<IMessageWorker>().GetTotals("files").DeadLetters.ShouldBe(1);
    }

    private void Start() => _receiving = _table.ReceiveAsync(_intake, _stop.Token);

    private async Task<Delivery> NextAsync() => await _intake.NextAsync();

    private async Task StopAsync(int loggedEvent = 0)
    {
        await _stop.CancelAsync();
        await _receiving.WaitAsync(Limit);
        await _table.CloseAsync(CancellationToken.None);
        _intake.Balance.ShouldBe(0);
        _table.Released.ShouldBeEmpty();
        _log.Entries.Select(entry => entry.Id.Id).Distinct().ShouldBe(loggedEvent == 0 ? [] : [loggedEvent]);
    }

    private static async Task UntilAsync(Func<bool> condition)
    {
        for (int i = 0; !condition(); i++)
        {
            i.ShouldBeLessThan(3_000);
            await Task.Delay(10);
        }
    }

    /// <summary>Rows in memory; it fails as told.</summary>
    private sealed class Table(SourceServices services) : PollingMessageSource<string>(services)
    {
        public ConcurrentQueue<string> Rows { get; } = new();

        public ConcurrentQueue<string> Completed { get; } = new();

        public ConcurrentQueue<string> Released { get; } = new();

        public ConcurrentDictionary<string, int> FailsToRead { get; } = new();

        public int FailsToClaim { get; set; }

        public int FailsToComplete { get; set; }

        public bool IgnoresMax { get; set; }

        /// <summary>Items that have no id, or no time.</summary>
        public ConcurrentDictionary<string, string>? Broken { get; set; }

        /// <summary>What the next claim returns, once.</summary>
        public Func<IReadOnlyList<string>>? Claimed { get; set; }

        protected override TimeSpan MinPollInterval => TimeSpan.FromMilliseconds(1);

        protected override TimeSpan MaxPollInterval => TimeSpan.FromMilliseconds(20);

        protected override ValueTask<IReadOnlyList<string>> ClaimAsync(int max, CancellationToken cancellationToken)
        {
            if (Claimed is { } claim)
            {
                Claimed = null;
                return new(claim());
            }

            if (FailsToClaim-- > 0)
            {
                throw new InvalidOperationException("no connection");
            }

            List<string> claimed = [];
            while ((IgnoresMax || claimed.Count < max) && Rows.TryDequeue(out string? row))
            {
                claimed.Add(row);
            }

            return new(claimed);
        }

        protected override string GetId(string item) => Broken?.GetValueOrDefault(item) switch
        {
            "throws" => throw new FormatException("no id"),
            "null" => null!,
            "empty" => string.Empty,
            _ => item,
        };

        protected override DateTimeOffset? GetEnqueuedAt(string item) =>
            Broken?.GetValueOrDefault(item) == "no time" ? throw new FormatException("no time") : null;

        protected override ValueTask<ReadOnlyMemory<byte>> ReadAsync(string item, CancellationToken cancellationToken) =>
            FailsToRead.AddOrUpdate(item, -1, (_, left) => left - 1) >= 0 ? throw new IOException("locked") : new(Encoding.UTF8.GetBytes($"body of {item}"));

        protected override ValueTask CompleteAsync(string item, CancellationToken cancellationToken)
        {
            if (FailsToComplete-- > 0)
            {
                throw new IOException("locked");
            }

            Completed.Enqueue(item);
            return default;
        }

        protected override ValueTask ReleaseAsync(string item, CancellationToken cancellationToken)
        {
            Released.Enqueue(item);
            return default;
        }
    }
}
