using System.CommandLine;
using System.ComponentModel;
using System.Globalization;
using System.Reflection;
using System.Text;

namespace Proof.Simulation;

/// <summary><c>pairs</c>: which faults have met in one world, as a table.</summary>
internal static class PairsCommand
{
    private static readonly Option<int> Seeds = Options.Number("--seeds", "Number of seeds", 20_000);
    private static readonly Option<int> From = Options.Number("--from", "The first seed", 1);

    private static readonly string[] Sources = ["Sqs", "Bus", "Http", "Tcp", "Channel"];

    private static readonly string[] Stores = ["Store", "Index", "Folder"];

    private static readonly Fault[] Faults = Enum.GetValues<Fault>();

    public static Command Create()
    {
        Command command = new("pairs", "Runs worlds and prints how many had each pair of faults; ends with 'N pairs, M not met, F failures'") { Seeds, From };
        command.SetAction(result => Run(result.GetValue(From), result.GetValue(Seeds)));
        return command;
    }

    private static int Run(int from, int seeds)
    {
        int[,] met = new int[Faults.Length, Faults.Length];
        int failures = 0;
        for (int seed = from; seed < from + seeds; seed++)
        {
            FaultPlan plan = FaultPlan.Draw(seed);
            World world = World.Run(plan, Defect.None, SimulateCommand.DefaultLimit);
            failures += world.Failures.Count > 0 ? 1 : 0;
            Fault[] found = [.. world.Met.Order()];
            foreach (Fault first in found)
            {
                foreach (Fault second in found.TakeWhile(second => second <= first))
                {
                    met[(int)first, (int)second]++;
                }
            }
        }

        Console.Write(Table(met, seeds));
        (Fault First, Fault Second)[] pairs =
            [.. Faults.SelectMany(first => Faults.Where(second => second < first && CanMeet(first, second)).Select(second => (first, second)))];
        (Fault First, Fault Second)[] missing = [.. pairs.Where(pair => met[(int)pair.First, (int)pair.Second] == 0)];
        foreach ((Fault first, Fault second) in missing)
        {
            Console.WriteLine($"not met: {Describe(first)}, and {Describe(second)}");
        }

        Console.WriteLine($"{pairs.Length} pairs, {missing.Length} not met, {failures} failures");
        return failures == 0 ? 0 : 1;
    }

    // A world has one source and one store. A queue can have a second worker, and keeps its own dead letters; the others need the disk for them.
    private static bool CanMeet(Fault first, Fault second) =>
        SourcesOf(first).Intersect(SourcesOf(second)).Any() && StoresOf(first).Intersect(StoresOf(second)).Any();

    private static string[] StoresOf(Fault fault) => fault switch
    {
        Fault.DiskIsFull => ["Store", "Index"],
        Fault.SinkThrows or Fault.SinkHangs => ["Store", "Folder"],
        _ => Own(Stores, fault),
    };

    private static string[] SourcesOf(Fault fault) => fault switch
    {
        Fault.DiskIsFull => ["Http", "Tcp", "Channel"],
        Fault.ProcessIsSecond => ["Sqs", "Bus"],
        Fault.SourceWithdraws => ["Sqs", "Bus", "Tcp", "Channel"],
        _ => Own(Sources, fault),
    };

    // All of them for a fault of none.
    private static string[] Own(string[] places, Fault fault) =>
        Array.FindAll(places, place => fault.ToString().StartsWith(place, StringComparison.Ordinal)) is { Length: > 0 } own ? own : places;

    private static string Describe(Fault fault) => typeof(Fault).GetField(fault.ToString())!.GetCustomAttribute<DescriptionAttribute>()!.Description;

    private static string Table(int[,] met, int seeds)
    {
        StringBuilder table = new();
        table.Append(
            CultureInfo.InvariantCulture,
            $"\n{seeds:N0} worlds. Each number counts the worlds that had both faults, or the one fault (column *worlds*); "
                + $"a dash stands for two that cannot meet.\n\n| | fault | worlds |"
                + $"{string.Concat(Faults.SkipLast(1).Select(fault => string.Create(CultureInfo.InvariantCulture, $" {(int)fault + 1} |")))}\n|---|---|"
                + $"{string.Concat(Enumerable.Repeat("---:|", Faults.Length))}\n");
        foreach (Fault fault in Faults)
        {
            table.Append(CultureInfo.InvariantCulture, $"| {(int)fault + 1} | {Describe(fault)} | {met[(int)fault, (int)fault]} |");
            foreach (Fault other in Faults.SkipLast(1))
            {
                table.Append(
                    other >= fault ? " |" : CanMeet(fault, other) ? string.Create(CultureInfo.InvariantCulture, $" {met[(int)fault, (int)other]} |") : " – |");
            }

            table.Append('\n');
        }

        return table.Append('\n').ToString();
    }
}
