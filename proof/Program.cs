using System.CommandLine;
using Proof.Fuzz;
using Proof.Kills;
using Proof.Simulation;

namespace Proof;

internal static class Program
{
    private static int Main(string[] args)
    {
        RootCommand root = new("Proves that the worker loses nothing, against models of what is outside of its process.")
        {
            SimulateCommand.Create(),
            SimulateCommand.CreateReplay(),
            SimulateCommand.CreateDefects(),
            PairsCommand.Create(),
            FuzzCommand.Create(),
            KillCommand.Create(),
        };
        return root.Parse(args).Invoke();
    }
}
