using Messaging.Hosting;
using Worker.CommandLine;

namespace Worker;

internal static class Program
{
    public static Task<int> Main(string[] args)
    {
        // First: a signal during the start is not to end the process halfway.
        ShutdownSignals.Process.Install();
        TolerantWriter.Install();
        return WorkerCommandLine.RunAsync(args);
    }
}
