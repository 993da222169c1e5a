using Worker.CommandLine;

namespace Worker;

internal static class Program
{
    public static Task<int> Main(string[] args)
    {
        TolerantWriter.Install();
        return WorkerCommandLine.RunAsync(args);
    }
}
