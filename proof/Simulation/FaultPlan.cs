namespace Proof.Simulation;

/// <summary>What happens in a world, drawn from its seed.</summary>
internal sealed record FaultPlan
{
    public static readonly TimeSpan Chaos = TimeSpan.FromSeconds(60);

    private FaultPlan(int seed, FaultKinds without)
    {
        Random random = new(seed);
        bool Has(FaultKinds kind) => !without.HasFlag(kind);
        double Share(FaultKinds kind, double most)
        {
            // Half of the worlds have none of a kind of fault, so that other kinds occur alone.
            double drawn = random.Next(2) == 0 ? 0 : random.NextDouble() * most;
            return Has(kind) ? drawn : 0;
        }

        FaultRates Rates() => new(
            Share(FaultKinds.LostRequest, 0.2),
            Share(FaultKinds.LostAnswer, 0.2),
            Share(FaultKinds.Error, 0.3),
            Share(FaultKinds.Stall, 0.05),
            Share(FaultKinds.Slow, 0.1),
            Share(FaultKinds.FailedEntry, 0.3),
            Share(FaultKinds.Duplicate, 0.1));

        TimeSpan Moment(double from = 0) => TimeSpan.FromSeconds(from + (random.NextDouble() * (Chaos.TotalSeconds - from)));

        Seed = seed;
        Messages = random.Next(5, 60);
        Concurrency = random.Next(1, 17);
        IsFifo = random.Next(4) == 0;
        bool onlyTheSinkFails = random.Next(3) == 0;
        FaultRates store = Rates();
        Store = onlyTheSinkFails && random.Next(2) == 0 ? default : store;
        Queue = onlyTheSinkFails ? default : Rates();
        PoisonShare = Share(FaultKinds.Poison, 0.2);
        CollisionShare = Share(FaultKinds.Collision, 0.2);
        TimeSpan outage = Moment();
        Outage = random.Next(2) == 0 && Has(FaultKinds.Outage) ? (outage, outage + TimeSpan.FromSeconds(random.Next(1, 600))) : null;
        TimeSpan[] kills = [.. Enumerable.Range(0, onlyTheSinkFails ? 0 : random.Next(4)).Select(_ => Moment(0.1))];
        (TimeSpan, TimeSpan)[] stops =
            [.. Enumerable.Range(0, onlyTheSinkFails ? 0 : random.Next(3)).Select(_ => (Moment(0.1), TimeSpan.FromSeconds(random.Next(31))))];
        Kills = Has(FaultKinds.Kill) ? kills : [];
        Stops = Has(FaultKinds.Stop) ? stops : [];
        RestartsAfter = TimeSpan.FromSeconds(random.NextDouble() * 5);
        OnlyTheSinkFails = onlyTheSinkFails;
        Source = (SourceKind)random.Next(3);
        Workers = Source != SourceKind.Http && random.Next(4) == 0 && Has(FaultKinds.SecondWorker) ? 2 : 1;
        (TimeSpan, TimeSpan)[] jumps = [.. Enumerable.Range(0, random.Next(3)).Select(_ => (Moment(), TimeSpan.FromSeconds(random.Next(-7_200, 7_200))))];
        ClockJumps = random.Next(3) == 0 && Has(FaultKinds.ClockJump) ? jumps : [];
        if (random.Next(4) == 0)
        {
            BundleMessages = random.Next(1, 11);
            BundleAge = TimeSpan.FromSeconds(0.1 + (random.NextDouble() * 10));
            Concurrency = 2 * (BundleMessages + random.Next(10));
        }

        // Bundles fill only while all slots are in use.
        StartConcurrency = BundleMessages > 0 ? Concurrency : random.Next(1, Concurrency + 1);
        if (random.Next(4) == 0)
        {
            (Source, Workers) = (SourceKind.Channel, 1);
        }

        if (random.Next(5) == 0)
        {
            (Source, Workers) = (SourceKind.TcpLines, 1);
        }

        MessagesPerRequest = Source is SourceKind.Http or SourceKind.TcpLines && random.Next(2) == 0 ? random.Next(2, 20) : 1;
        ChannelCapacity = Concurrency + random.Next(40);
        IsBusy = random.Next(2) == 0;
        IsShuffled = random.Next(2) == 0;
        SinkFaults = random.Next(4) == 0 && !onlyTheSinkFails ? Share(FaultKinds.Sink, 0.3) : 0;
        HasForeignBodies = random.Next(2) == 0 && Has(FaultKinds.Body);
        UsesFolder = random.Next(4) == 0;
        FolderThreads = random.Next(1, 9);
        TimeSpan[] cuts = [.. Enumerable.Range(0, random.Next(4)).Select(_ => Moment(0.1))];
        PowerCuts = UsesFolder && !onlyTheSinkFails && Has(FaultKinds.PowerCut) ? cuts : [];
        TimeSpan redrive = TimeSpan.FromSeconds(random.Next(5, 300));
        TimeSpan? end = random.Next(2) == 0 ? redrive + TimeSpan.FromSeconds(random.NextDouble() * 10) : null;
        Redrive = Source == SourceKind.Sqs && random.Next(2) == 0 && Has(FaultKinds.Redrive) ? (redrive, end, random.Next(2) == 0) : null;
        Indexes = random.Next(5) == 0 && !UsesFolder && BundleMessages == 0;
        IndexBytes = random.Next(2) == 0 ? int.MaxValue : random.Next(500, 3_000);
        HasFailureStore = random.Next(2) == 0;
        if (Indexes)
        {
            SinkFaults = 0;
        }

        SettleFaults = random.Next(8) == 0 && !onlyTheSinkFails ? Share(FaultKinds.Source, 0.5) : 0;
        HasForeignLoop = random.Next(8) == 0 && Source != SourceKind.Http && !onlyTheSinkFails && Has(FaultKinds.Source);
        TimeSpan[] bursts = [.. Enumerable.Range(0, random.Next(1, 4)).Select(_ => TimeSpan.FromSeconds(random.NextDouble() * (Chaos.TotalSeconds - 1)))];
        Bursts = random.Next(3) == 0 ? bursts : [];

        // Drawn apart, so that it changes nothing else of a world.
        Random envelopes = new(seed ^ 0xE57E);
        Envelope = !Indexes && envelopes.Next(3) == 0 ? Envelopes.All[envelopes.Next(Envelopes.All.Length)] : null;
    }

    public int Seed { get; }

    public int Messages { get; }

    public int Concurrency { get; }

    public int StartConcurrency { get; }

    public bool IsFifo { get; }

    public FaultRates Store { get; }

    public FaultRates Queue { get; }

    public double PoisonShare { get; }

    public double CollisionShare { get; }

    /// <summary>While it lasts, every request to the store fails, or the disk of the folder is full.</summary>
    public (TimeSpan From, TimeSpan To)? Outage { get; }

    public IReadOnlyList<TimeSpan> Kills { get; }

    /// <summary>SIGTERM, and the time that the drain gets.</summary>
    public IReadOnlyList<(TimeSpan At, TimeSpan Limit)> Stops { get; }

    public TimeSpan RestartsAfter { get; }

    public SourceKind Source { get; }

    /// <summary>True when the source is a queue, which delivers what is not settled again.</summary>
    public bool IsQueue => Source is SourceKind.Sqs or SourceKind.ServiceBus;

    /// <summary>Messages per HTTP request or TCP connection at most; above 1 as NDJSON.</summary>
    public int MessagesPerRequest { get; }

    public int ChannelCapacity { get; }

    /// <summary>True when work that is ready may wait, so that timers and answers come before it.</summary>
    public bool IsBusy { get; }

    /// <summary>True when the order of work that is ready is drawn; else it runs first in, first out.</summary>
    public bool IsShuffled { get; }

    /// <summary>Processes of the worker on the queue.</summary>
    public int Workers { get; }

    /// <summary>When the clock of the machine is set, and by how much.</summary>
    public IReadOnlyList<(TimeSpan At, TimeSpan By)> ClockJumps { get; }

    /// <summary>When an operator runs redrive, and when it is ended, by SIGKILL or SIGINT.</summary>
    public (TimeSpan At, TimeSpan? End, bool IsKilled)? Redrive { get; }

    /// <summary>The share of stores in which the sink throws or hangs.</summary>
    public double SinkFaults { get; }

    /// <summary>The share of settlements after which the source throws.</summary>
    public double SettleFaults { get; }

    /// <summary>True when the source has a second receive loop, of foreign code.</summary>
    public bool HasForeignLoop { get; }

    /// <summary>When the messages are sent, all within a second; empty when they are sent at any time.</summary>
    public IReadOnlyList<TimeSpan> Bursts { get; }

    /// <summary>True when poison from Service Bus has a body that cannot be read.</summary>
    public bool HasForeignBodies { get; }

    /// <summary>Messages per bundle at most; 0 without bundles.</summary>
    public int BundleMessages { get; }

    public TimeSpan BundleAge { get; }

    /// <summary>True when the worker stores in a folder, and its dead letters too; else in S3.</summary>
    public bool UsesFolder { get; }

    public int FolderThreads { get; }

    /// <summary>True when the messages are events, and the rows of the logs that they name become documents; else each message is stored.</summary>
    public bool Indexes { get; }

    /// <summary>What the messages have around them; null for nothing.</summary>
    public string? Envelope { get; }

    /// <summary>True when Elasticsearch answers success for documents that it cannot index, and puts them into a failure store.</summary>
    public bool HasFailureStore { get; }

    /// <summary>The longest request that Elasticsearch takes.</summary>
    public int IndexBytes { get; }

    /// <summary>When the power of the machine with the folder fails.</summary>
    public IReadOnlyList<TimeSpan> PowerCuts { get; }

    /// <summary>True when nothing but the store has faults.</summary>
    public bool OnlyTheSinkFails { get; }

    /// <summary>
    /// The maximum number of deliveries of a message when only the store fails: one during an outage. When the store fails some requests and serves
    /// others, a message that fails five times is abandoned (docs/explanation/settlement.md); an event needs many
    /// requests. In a FIFO queue a log that does not exist, whose event is delivered again, holds up its group.
    /// </summary>
    public int MaxDeliveries => !OnlyTheSinkFails || !IsQueue || (Indexes && (Store != default || IsFifo)) ? int.MaxValue : Store == default ? 1 : 3;

    public static FaultPlan Draw(int seed, FaultKinds without = FaultKinds.None) => new(seed, without);
}
