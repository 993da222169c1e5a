using System.CommandLine;
using System.Diagnostics;
using System.Globalization;

namespace Proof.Simulation;

/// <summary><c>simulate</c>, <c>replay</c> and <c>defects</c>.</summary>
internal static class SimulateCommand
{
    private const int DefectSeeds = 1_000;

    /// <summary>A world takes milliseconds, and some hundred times as long on a machine that is very busy.</summary>
    public static readonly TimeSpan DefaultLimit = TimeSpan.FromMinutes(2);

    private static readonly Option<int> Seeds = Options.Number("--seeds", "Number of seeds", 2_000);
    private static readonly Option<int> From = Options.Number("--from", "The first seed", 1);
    private static readonly Option<int> Seed = Options.Number("--seed", "The seed", standard: null);
    private static readonly Option<bool> ShowTrace = new("--trace") { Description = "Print each event" };
    private static readonly Option<FaultKinds> Without = Options.Names<FaultKinds>("--without", "Faults to leave out, with commas between them");
    private static readonly Option<Defect> Planted = Options.Names<Defect>("--defect", "A planted defect");

    private static readonly Option<int> Limit =
        Options.Number("--limit", "The longest run of a world, in seconds of processor time; in real time ten times as long", (int)DefaultLimit.TotalSeconds);

    public static Command Create()
    {
        Command command = new("simulate", "Runs worlds, one per seed; ends with 'N seeds, M failures'") { Seeds, From, Planted, Limit, ResultLog.Record };
        command.Validators.Add(result =>
        {
            if (result.GetResult(Planted) is not null && result.GetResult(ResultLog.Record) is not null)
            {
                result.AddError("--record keeps results of the worker as it is, so it cannot be used with --defect");
            }
        });
        command.SetAction(
            result => Simulate(
                result.GetValue(From), result.GetValue(Seeds), result.GetValue(Planted), TimeSpan.FromSeconds(result.GetValue(Limit)),
                result.GetValue(ResultLog.Record)));
        return command;
    }

    public static Command CreateReplay()
    {
        Command command = new("replay", "Runs one seed again") { Seed, ShowTrace, Without, Planted, Limit };
        command.SetAction(
            result => Replay(
                result.GetValue(Seed), result.GetValue(Without), result.GetValue(Planted), TimeSpan.FromSeconds(result.GetValue(Limit)),
                result.GetValue(ShowTrace)));
        return command;
    }

    public static Command CreateDefects()
    {
        Command command = new("defects", $"Checks that each planted defect is found within {DefectSeeds} seeds; ends with 'N defects, M missed'");
        command.SetAction(_ => FindDefects());
        return command;
    }

    private static int Simulate(int from, int seeds, Defect defect, TimeSpan limit, string? record)
    {
        Stopwatch watch = Stopwatch.StartNew();
        int run = 0;
        HashSet<int> failed = [];
        int processes = 0;
        try
        {
            for (int seed = from; seed < from + seeds; seed++)
            {
                run++;
                World world = Run(seed, FaultKinds.None, defect, limit);
                processes += world.Processes;
                if (world.Failures.Count == 0)
                {
                    // Anything that the seed does not decide would make a replay differ.
                    if (seed % 100 == 0 && Run(seed, FaultKinds.None, defect, limit).TraceHash != world.TraceHash)
                    {
                        failed.Add(seed);
                        Console.WriteLine($"seed {seed}: two runs differ");
                    }

                    continue;
                }

                failed.Add(seed);
                Console.WriteLine($"seed {seed}: {world.Failures[0]}");
                Console.WriteLine(ReplayOf(seed, Shrink(seed, defect, limit), defect));
            }
        }
        catch (HungException)
        {
            // Printed where it was thrown. The other seeds cannot run.
            failed.Add(from + run - 1);
        }

        Console.WriteLine(
            string.Create(CultureInfo.InvariantCulture, $"{watch.Elapsed.TotalMilliseconds / run:0.0} ms per seed, {processes} simulated processes"));
        ResultLog.Append(record, "simulate", $"{from}-{from + run - 1}", run, failed.Count);
        Console.WriteLine($"{run} seeds, {failed.Count} failures");
        return failed.Count == 0 ? 0 : 1;
    }

    private static int Replay(int seed, FaultKinds without, Defect defect, TimeSpan limit, bool trace)
    {
        IReadOnlyList<string> failures;
        try
        {
            World world = World.Run(FaultPlan.Draw(seed, without), defect, limit, trace ? Console.WriteLine : null);
            Console.WriteLine($"trace {world.TraceHash:x16}");
            failures = world.Failures;
        }
        catch (HungException exception)
        {
            failures = [exception.Message];
        }

        foreach (string failure in failures)
        {
            Console.WriteLine(failure);
        }

        Console.WriteLine($"1 seeds, {(failures.Count == 0 ? 0 : 1)} failures");
        return failures.Count == 0 ? 0 : 1;
    }

    private static int FindDefects()
    {
        Defect[] defects = [.. Enum.GetValues<Defect>().Where(defect => defect is not (Defect.None or Defect.Hang))];
        int missed = 0;
        foreach (Defect defect in defects)
        {
            World? world = null;
            int seed = Enumerable.Range(1, DefectSeeds).FirstOrDefault(seed => (world = Run(seed, FaultKinds.None, defect, DefaultLimit)).Failures.Count > 0);
            missed += seed == 0 ? 1 : 0;
            Console.WriteLine(seed == 0 ? $"{defect}: not found" : $"{defect}: seed {seed}, {world!.Failures[0]}");
        }

        Console.WriteLine($"{defects.Length} defects, {missed} missed");
        return missed == 0 ? 0 : 1;
    }

    private static World Run(int seed, FaultKinds without, Defect defect, TimeSpan limit)
    {
        try
        {
            return World.Run(FaultPlan.Draw(seed, without), defect, limit);
        }
        catch (HungException exception)
        {
            Console.WriteLine($"seed {seed}: {exception.Message}");
            Console.WriteLine(ReplayOf(seed, without, defect));
            throw;
        }
    }

    /// <summary>Leaves out each kind of fault that the failure does not need.</summary>
    private static FaultKinds Shrink(int seed, Defect defect, TimeSpan limit)
    {
        FaultKinds without = FaultKinds.None;
        foreach (FaultKinds kind in Enum.GetValues<FaultKinds>().Where(kind => kind is not (FaultKinds.None or FaultKinds.All)))
        {
            if (Run(seed, without | kind, defect, limit).Failures.Count > 0)
            {
                without |= kind;
            }
        }

        return without;
    }

    private static string ReplayOf(int seed, FaultKinds without, Defect defect)
    {
        string left = without == FaultKinds.None ? string.Empty : $" --without {without.ToString().Replace(" ", string.Empty, StringComparison.Ordinal)}";
        return $"  {Options.Command} replay --seed {seed} --trace{left}{(defect == Defect.None ? string.Empty : $" --defect {defect}")}";
    }
}
