namespace Harness;

internal static class Program
{
    public static Task<int> Main(string[] args) => HarnessCommand.RunAsync(args);
}
