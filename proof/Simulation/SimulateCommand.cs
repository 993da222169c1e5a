using System.CommandLine;
using System.Diagnostics;
using System.Globalization;

namespace Proof.Simulation;

/// <summary><c>simulate</c>, <c>replay</c> and <c>defects</c>.</summary>
internal static class SimulateCommand
{
    private const int DefectSeeds = 1_000;

    private static readonly Option<int> Seeds = Options.Number("--seeds", "Number of seeds", 2_000);
    private static readonly Option<int> From = Options.Number("--from", "The first seed", 1);
    private static readonly Option<int> Seed = Options.Number("--seed", "The seed", standard: null);
    private static readonly Option<bool> ShowTrace = new("--trace") { Description = "Print each event" };
    private static readonly Option<FaultKinds> Without = Options.Names<FaultKinds>("--without", "Faults to leave out, with commas between them");
    private static readonly Option<Defect> Planted = Options.Names<Defect>("--defect", "A planted defect");

    public static Command Create()
    {
        Command command = new("simulate", "Runs worlds, one per seed; ends with 'N seeds, M failures'") { Seeds, From, Planted, ResultLog.Record };
        command.Validators.Add(result =>
        {
            if (result.GetResult(Planted) is not null && result.GetResult(ResultLog.Record) is not null)
            {
                result.AddError("--record keeps results of the worker as it is, so it cannot be used with --defect");
            }
        });
        command.SetAction(result => Simulate(result.GetValue(From), result.GetValue(Seeds), result.GetValue(Planted), result.GetValue(ResultLog.Record)));
        return command;
    }

    public static Command CreateReplay()
    {
        Command command = new("replay", "Runs one seed again") { Seed, ShowTrace, Without, Planted };
        command.SetAction(result => Replay(result.GetValue(Seed), result.GetValue(Without), result.GetValue(Planted), result.GetValue(ShowTrace)));
        return command;
    }

    public static Command CreateDefects()
    {
        Command command = new("defects", $"Checks that each planted defect is found within {DefectSeeds} seeds; ends with 'N defects, M missed'");
        command.SetAction(_ => FindDefects());
        return command;
    }

    private static int Simulate(int from, int seeds, Defect defect, string? record)
    {
        Stopwatch watch = Stopwatch.StartNew();
        int failures = 0;
        int processes = 0;
        for (int seed = from; seed < from + seeds; seed++)
        {
            World world = Run(FaultPlan.Draw(seed), defect);
            processes += world.Processes;
            if (world.Failures.Count == 0)
            {
                // Anything that the seed does not decide would make a replay differ.
                if (seed % 100 == 0 && Run(FaultPlan.Draw(seed), defect).TraceHash != world.TraceHash)
                {
                    failures++;
                    Console.WriteLine($"seed {seed}: two runs differ");
                }

                continue;
            }

            failures++;
            Console.WriteLine($"seed {seed}: {world.Failures[0]}");
            Console.WriteLine($"  {Options.Command} replay --seed {seed} --trace{Shrink(seed, defect)}{(defect == Defect.None ? string.Empty : $" --defect {defect}")}");
        }

        Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{watch.Elapsed.TotalMilliseconds / seeds:0.0} ms per seed, {processes} simulated processes"));
        ResultLog.Append(record, "simulate", $"{from}-{from + seeds - 1}", seeds, failures);
        Console.WriteLine($"{seeds} seeds, {failures} failures");
        return failures == 0 ? 0 : 1;
    }

    private static int Replay(int seed, FaultKinds without, Defect defect, bool trace)
    {
        World world = Run(FaultPlan.Draw(seed, without), defect, trace ? Console.WriteLine : null);
        foreach (string failure in world.Failures)
        {
            Console.WriteLine(failure);
        }

        Console.WriteLine($"trace {world.TraceHash:x16}");
        Console.WriteLine($"1 seeds, {(world.Failures.Count == 0 ? 0 : 1)} failures");
        return world.Failures.Count == 0 ? 0 : 1;
    }

    private static int FindDefects()
    {
        int missed = 0;
        foreach (Defect defect in Enum.GetValues<Defect>().Where(defect => defect != Defect.None))
        {
            int seed = Enumerable.Range(1, DefectSeeds).FirstOrDefault(seed => Run(FaultPlan.Draw(seed), defect).Failures.Count > 0);
            missed += seed == 0 ? 1 : 0;
            Console.WriteLine(seed == 0 ? $"{defect}: not found" : $"{defect}: seed {seed}, {Run(FaultPlan.Draw(seed), defect).Failures[0]}");
        }

        Console.WriteLine($"{Enum.GetValues<Defect>().Length - 1} defects, {missed} missed");
        return missed == 0 ? 0 : 1;
    }

    private static World Run(FaultPlan plan, Defect defect, Action<string>? trace = null)
    {
        World world = new(plan, defect, trace);
        world.Run();
        return world;
    }

    /// <summary>Leaves out each kind of fault that the failure does not need.</summary>
    private static string Shrink(int seed, Defect defect)
    {
        FaultKinds without = FaultKinds.None;
        foreach (FaultKinds kind in Enum.GetValues<FaultKinds>().Where(kind => kind is not (FaultKinds.None or FaultKinds.All)))
        {
            if (Run(FaultPlan.Draw(seed, without | kind), defect).Failures.Count > 0)
            {
                without |= kind;
            }
        }

        return without == FaultKinds.None ? string.Empty : $" --without {without.ToString().Replace(" ", string.Empty, StringComparison.Ordinal)}";
    }
}
