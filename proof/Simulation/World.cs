using System.Globalization;
using System.Reflection;
using System.Runtime.ExceptionServices;
using Proof.Models;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Intake;
using Quayside.Messaging.Recoverability;

namespace Proof.Simulation;

/// <summary>
/// One seed's world: a queue, a store, the worker processes that come and go, and what happens to them. It ends when everything is settled,
/// or when a check fails. Threads: the pool's only one.
/// </summary>
internal sealed partial class World
{
    // The time after the last fault: visibility timeouts, pauses and the longest hold are shorter.
    private static readonly TimeSpan Calm = TimeSpan.FromMinutes(40);

    private static readonly TimeSpan CalmCheck = TimeSpan.FromSeconds(1);

    private static readonly TimeSpan LastCalls = TimeSpan.FromMinutes(3);

    // On a busy machine, how long after work is ready an event may still come before it.
    private static readonly TimeSpan BusyDelay = TimeSpan.FromMilliseconds(50);

    private readonly FaultPlan _plan;
    private readonly Defect _defect;
    private readonly Action<string>? _trace;
    private readonly List<string> _failures = [];
    private readonly List<QueuedMessage> _sent = [];
    private readonly HashSet<Fault> _met = [];
    private static World? _current;
    private ulong _hash = 14_695_981_039_346_656_037;
    private readonly WorkerProcess?[] _workers;
    private RedriveProcess? _redrive;
    private bool _isFastPath;
    private bool _isOver;
    private int _processes;

    /// <param name="plan">The faults and their times.</param>
    /// <param name="defect">The planted defect.</param>
    /// <param name="trace">Receives each line of the trace; null for none.</param>
    public World(FaultPlan plan, Defect defect, Action<string>? trace)
    {
        _plan = plan;
        _defect = defect;
        _trace = trace;
        _workers = new WorkerProcess?[plan.Workers];
        Random = new Random(plan.Seed ^ 0x5EED);
        Work = plan.Indexes ? new LogWork(this, plan) : new ArchiveWork(this, plan);
        Store = new StoreModel(this);
        Logs = new LogModel(this);
        Index = new IndexModel(this, plan, defect);
        Queue = new QueueModel(this, plan.IsFifo) { Deleted = CheckDeleted, Received = CheckReceived };
        Bus = new BusModel(this) { Removed = CheckGivenUp, Delivered = CheckReceived };
        Senders = new Senders(this, plan.MessagesPerRequest) { Answered = CheckGivenUp, Connect = messages => _workers[0]?.Connect(messages) };
        Publishers = new Publishers(this) { IsKept = IsKept, Find = () => _workers[0] };
        DeadLetters = new DeadLetterDisk(this);
        Disk = new DiskModel(this);
    }

    public SimulatedTime Time { get; } = new();

    public Random Random { get; }

    public Work Work { get; }

    /// <summary>When a queue or a source may deliver an abandoned message again, by what names the message: ticks of the world's clock.</summary>
    public Dictionary<object, long> Due { get; } = [];

    /// <summary>All messages, also those that are yet to be sent.</summary>
    public IReadOnlyList<QueuedMessage> Sent => _sent;

    public StoreModel Store { get; }

    public LogModel Logs { get; }

    public IndexModel Index { get; }

    public QueueModel Queue { get; }

    public BusModel Bus { get; }

    public Senders Senders { get; }

    public Publishers Publishers { get; }

    public DeadLetterDisk DeadLetters { get; }

    public DiskModel Disk { get; }

    /// <summary>All dead letters; without a record in the dead-letter queue of a source.</summary>
    public IEnumerable<(DeadLetter? Letter, byte[] Body)> Dead => Queue.Dead.Concat(Bus.Dead).Select(body => ((DeadLetter?)null, body))
        .Concat((_plan.UsesFolder ? Disk.DeadLetters() : DeadLetters.Letters).Select(dead => ((DeadLetter?)dead.Letter, dead.Body)));

    public FaultRates StoreFaults => _isFastPath ? default : _plan.Store;

    public FaultRates QueueFaults => _isFastPath ? default : _plan.Queue;

    /// <summary>They last as long as an outage, so that they meet its probes.</summary>
    public double SinkFaults => _isFastPath && !Store.IsDown ? 0 : _plan.SinkFaults;

    public double SettleFaults => _isFastPath ? 0 : _plan.SettleFaults;

    public bool IsCalm => _isFastPath;

    public bool HasForeignBodies => _plan.HasForeignBodies;

    /// <summary>A hash of the trace, equal for all runs of a seed.</summary>
    public ulong TraceHash => _hash;

    public int Processes => _processes;

    public IReadOnlyList<string> Failures => _failures;

    /// <summary>The faults that have happened.</summary>
    public IReadOnlyCollection<Fault> Met => _met;

    /// <summary>Runs a world to its end. An exception of the worker's code, or of the simulation's own, is a failure of the world.</summary>
    /// <param name="plan">The faults and their times.</param>
    /// <param name="defect">The planted defect.</param>
    /// <param name="limit">The longest run, in processor time.</param>
    /// <param name="trace">Receives each line of the trace; null for none.</param>
    /// <exception cref="HungException">It did not end within the limit.</exception>
    public static World Run(FaultPlan plan, Defect defect, TimeSpan limit, Action<string>? trace = null)
    {
        World world = new(plan, defect, trace);
        if (_current is null)
        {
            // On a thread of the pool an exception would end the process, with the other seeds.
            ExceptionHandling.SetUnhandledExceptionHandler(static exception =>
            {
                _current!.FailedWith(exception);
                return true;
            });
        }

        _current = world;
        try
        {
            world.Run(limit);
        }
        catch (Exception exception) when (exception is not HungException)
        {
            world.FailedWith((exception as TargetInvocationException)?.InnerException ?? exception);
        }

        try
        {
            world.End();
        }
        catch (Exception exception)
        {
            world.FailedWith(exception);
        }

        return world;
    }

    private void FailedWith(Exception exception) => Fail($"the code of the worker, or of the simulation, has thrown {exception}");

    private void Run(TimeSpan limit)
    {
        // What else the seed would not decide: random waits, and a time limit in real milliseconds, which is none or every time.
        Backoff.Jitter = new Random(_plan.Seed);
        SlotPump.MaxMilliseconds = _plan.IsBusy ? 0 : int.MaxValue;
        ScheduleMessages();
        ScheduleFaults();
        ScheduleRedrive();
        for (int worker = 0; worker < _workers.Length; worker++)
        {
            Start(worker);
        }

        Time.Schedule(FaultPlan.Chaos, BecomeCalm);
        new PoolLoop(() => !_isOver && Time.RunNext(FaultPlan.Chaos + Calm), CheckAtRest, IsEarly, _plan.IsShuffled ? Random.Next : null).Run(limit);
        if (!_isOver)
        {
            Fail("not everything was settled 40 minutes after the last fault");
        }

        if (_failures.Count == 0)
        {
            CheckEnd();
        }
    }

    private void End()
    {
        Array.ForEach(_workers, worker => worker?.Kill());
        Disk.EndProcesses();
        _redrive?.Kill();
    }

    public void Meets(Fault fault) => _met.Add(fault);

    public void Trace(string what, string detail)
    {
        foreach (char c in what)
        {
            _hash = (_hash ^ c) * 1_099_511_628_211;
        }

        foreach (char c in detail)
        {
            _hash = (_hash ^ c) * 1_099_511_628_211;
        }

        _hash = (_hash ^ (ulong)Time.Now) * 1_099_511_628_211;
        _trace?.Invoke(string.Create(CultureInfo.InvariantCulture, $"{TimeSpan.FromTicks(Time.Now).TotalSeconds,10:0.0000} {what}: {detail}"));
    }

    public void Fail(string what)
    {
        Trace("FAILED", what);
        _failures.Add(string.Create(CultureInfo.InvariantCulture, $"at {TimeSpan.FromTicks(Time.Now).TotalSeconds:0.000} s: {what}"));
        _isOver = true;
    }

    private bool IsEarly() => _plan.IsBusy && Time.IsDue(BusyDelay) && Random.Next(4) == 0;

    private void ScheduleMessages()
    {
        for (int number = 0; number < _plan.Messages; number++)
        {
            QueuedMessage message = new(number, Work.Create(number), _plan.IsFifo ? $"g{Random.Next(4)}" : null);
            _sent.Add(message);
            TimeSpan at = _plan.Bursts is [_, ..] bursts
                ? bursts[Random.Next(bursts.Count)] + TimeSpan.FromSeconds(Random.NextDouble())
                : TimeSpan.FromSeconds(Random.NextDouble() * FaultPlan.Chaos.TotalSeconds);
            Time.Schedule(at, () =>
            {
                Action<QueuedMessage> send = _plan.Source switch
                {
                    SourceKind.Sqs => Queue.Send,
                    SourceKind.Http or SourceKind.TcpLines => Senders.Send,
                    SourceKind.Channel => Publishers.Send,
                    _ => Bus.Send,
                };
                send(message);
            });
        }
    }

    private void ScheduleFaults()
    {
        if (_plan.Outage is { } outage)
        {
            Time.Schedule(outage.From, () => Store.IsDown = Disk.IsFull = true);
            Time.Schedule(outage.To, () => Store.IsDown = Disk.IsFull = false);
        }

        foreach ((TimeSpan at, TimeSpan by) in _plan.ClockJumps)
        {
            Time.Schedule(at, () =>
            {
                Time.WallOffset += by;
                Meets(by > TimeSpan.Zero ? Fault.ClockForward : Fault.ClockBack);
            });
        }

        foreach (TimeSpan kill in _plan.Kills)
        {
            int worker = Random.Next(_workers.Length);
            Time.Schedule(kill, () => Kill(worker));
        }

        foreach (TimeSpan cut in _plan.PowerCuts)
        {
            Time.Schedule(cut, CutPower);
        }

        foreach ((TimeSpan at, TimeSpan limit) in _plan.Stops)
        {
            int worker = Random.Next(_workers.Length);
            Time.Schedule(at, () => Stop(worker, limit));
        }
    }

    private void ScheduleRedrive()
    {
        if (_plan.Redrive is not { } plan)
        {
            return;
        }

        _redrive = new RedriveProcess(this, _plan.IsFifo, _defect);
        Time.Schedule(plan.At, _redrive.Start);
        if (plan.End is { } end)
        {
            Time.Schedule(end, () =>
            {
                if (!_redrive.HasEnded)
                {
                    Meets(Fault.SqsRedriveIsEnded);
                    (plan.IsKilled ? _redrive.Kill : (Action)_redrive.Interrupt)();
                }
            });
        }
    }

    private void Start(int worker) => Time.Schedule(_processes < _workers.Length ? TimeSpan.Zero : _plan.RestartsAfter, () =>
    {
        _processes++;
        Trace("start", $"{worker}");
        if (worker > 0)
        {
            Meets(Fault.ProcessIsSecond);
        }

        _workers[worker] = new WorkerProcess(this, _plan, _defect);
        _workers[worker]!.Start();
    });

    private void Kill(int worker)
    {
        if (_workers[worker] is { } process)
        {
            Trace("kill", $"{worker}");
            Meets(Fault.ProcessIsKilled);
            process.Kill();
            _workers[worker] = null;
            Start(worker);
        }
    }

    private void CutPower()
    {
        Trace("power cut", string.Empty);
        Meets(Fault.FolderLosesPower);
        for (int worker = 0; worker < _workers.Length; worker++)
        {
            Kill(worker);
        }

        Disk.CutPower();
    }

    private void Stop(int worker, TimeSpan limit)
    {
        if (_workers[worker] is not { IsStopping: false } process)
        {
            return;
        }

        Meets(Fault.ProcessIsStopped);
        Trace("stop", $"{worker} within {limit.TotalSeconds} s");
        process.Stop(limit, () =>
        {
            Trace("stopped", process.Totals.ToString());
            _workers[worker] = null;
            Start(worker);
        });
    }

    private void BecomeCalm()
    {
        Trace("calm", string.Empty);
        _isFastPath = true;
        Time.Schedule(CalmCheck, EndWhenSettled);
    }

    private void EndWhenSettled()
    {
        if (_redrive is { HasEnded: false }
            || Queue.Count + Bus.Count + Senders.Unanswered + Publishers.Waiting > 0
            || Store.IsDown
            || !Array.TrueForAll(_workers, worker => worker is { IsStopping: false, InFlight: 0 }))
        {
            Time.Schedule(CalmCheck, EndWhenSettled);
            return;
        }

        Trace("end", string.Empty);
        int left = _workers.Length;
        foreach (WorkerProcess? worker in _workers)
        {
            worker!.Stop(TimeSpan.FromSeconds(30), () =>
            {
                if (--left == 0)
                {
                    Time.Schedule(LastCalls, () => _isOver = true);
                }
            });
        }
    }
}
