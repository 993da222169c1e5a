using System.Text;
using Quayside.Messaging.Sources;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Testing;

/// <summary>A source that claims rows of a table, as one over a database does. When it is opened, it may free the rows that a crash left claimed.</summary>
internal sealed class ClaimingHarness : SourceHarness
{
    private readonly List<Row> _table = [];
    private readonly bool _recovers;
    private ClaimingSource _source;

    public ClaimingHarness(bool recovers)
        : base(slots: 8)
    {
        _recovers = recovers;
        _source = new ClaimingSource(_table);
    }

    /// <summary>Frees the settled rows, too.</summary>
    public bool ForgetsSettlements { get; init; }

    public override IMessageSource Source => _source;

    public override TimeSpan AbandonDelay => TimeSpan.FromMilliseconds(50);

    /// <summary>What was forgotten never comes, however long the rule waits.</summary>
    internal override TimeSpan MinPatience => _recovers ? base.MinPatience : TimeSpan.Zero;

    public override Task PublishAsync(byte[] body, string? id = null)
    {
        lock (_table)
        {
            _table.Add(new Row { Body = body, Id = id ?? Guid.NewGuid().ToString() });
        }

        return Task.CompletedTask;
    }

    public override async Task ReopenAsync()
    {
        await CrashAsync();
        lock (_table)
        {
            foreach (Row row in _table.Where(row => row.IsClaimed && _recovers && (row.Settled is null || ForgetsSettlements)))
            {
                (row.IsClaimed, row.Settled) = (false, null);
            }
        }

        _source = new ClaimingSource(_table);
    }

    public override Task AdvanceAsync(TimeSpan time) => Task.Delay(1);

    public override async Task<IReadOnlyList<DeadLetteredMessage>> DeadLettersAsync(int expected)
    {
        List<DeadLetteredMessage> letters = [];
        await UntilAsync(
            () =>
            {
                lock (_table)
                {
                    letters = [
                        .. _table
                            .Where(row => row.Settled?.Kind == SettlementKind.DeadLetter)
                            .Select(row => new DeadLetteredMessage(row.Id, row.Settled!.Value.Reason!, row.Settled.Value.Description!, row.Body))];
                    return letters.Count >= expected;
                }
            },
            "The dead letters did not arrive.");
        return letters;
    }

    public override Task WaitUntilEmptyAsync() => UntilAsync(
        () =>
        {
            lock (_table)
            {
                return _table.TrueForAll(row => row.Settled is not null);
            }
        },
        "Some rows were not settled.");

    private sealed class Row
    {
        public required byte[] Body { get; init; }

        public required string Id { get; init; }

        public bool IsClaimed { get; set; }

        public int Deliveries { get; set; }

        public Settlement? Settled { get; set; }
    }

    private sealed class ClaimingSource(List<Row> table) : IMessageSource
    {
        public Task CheckAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public async Task ReceiveAsync(IMessageIntake intake, CancellationToken stopReceiving)
        {
            try
            {
                while (true)
                {
                    using SlotLease slot = await intake.ReserveAsync(1, 1, stopReceiving);
                    if (Claim() is { } row)
                    {
                        slot.Accept(new RowMessage(table, row));
                        continue;
                    }

                    slot.Dispose();
                    await Task.Delay(1, stopReceiving);
                }
            }
            catch (OperationCanceledException) when (stopReceiving.IsCancellationRequested)
            {
                // The worker stops.
            }
        }

        public Task CloseAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public ValueTask DisposeAsync() => default;

        private Row? Claim()
        {
            lock (table)
            {
                Row? row = table.Find(row => !row.IsClaimed);
                if (row is not null)
                {
                    row.IsClaimed = true;
                    row.Deliveries++;
                }

                return row;
            }
        }
    }

    private sealed class RowMessage(List<Row> table, Row row) : ReceivedMessage
    {
        public override ReadOnlyMemory<byte> Body => row.Body;

        public override ReadOnlyMemory<byte> SourceId { get; } = Encoding.UTF8.GetBytes(row.Id);

        public override int DeliveryCount { get; } = row.Deliveries;

        protected override ValueTask SettleCoreAsync(Settlement settlement, CancellationToken cancellationToken)
        {
            lock (table)
            {
                row.Settled = settlement.Kind == SettlementKind.Abandon ? null : settlement;
                row.IsClaimed = settlement.Kind != SettlementKind.Abandon;
            }

            return default;
        }
    }
}
