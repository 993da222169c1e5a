using System.CommandLine;
using Proof.Fuzz;
using Proof.Kills;
using Proof.Simulation;

namespace Proof;

internal static class Program
{
    private static int Main(string[] args)
    {
        RootCommand root = new("Checks that the worker loses no message: in simulated worlds, under SIGKILL, and with mutated inputs.")
        {
            SimulateCommand.Create(),
            SimulateCommand.CreateReplay(),
            SimulateCommand.CreateDefects(),
            PairsCommand.Create(),
            FuzzCommand.Create(),
            KillCommand.Create(),
            ResultLog.Create(),
        };
        return root.Parse(args).Invoke();
    }
}
