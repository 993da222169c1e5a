using System.Globalization;

namespace Benchmarks.EndToEnd.Server;

/// <summary>The message server in a process of its own: prints its port and serves until its input ends.</summary>
internal static class ServerProcess
{
    public const string Verb = "end-to-end-server";

    public static string[] Arguments(int putMilliseconds) => [Verb, putMilliseconds.ToString(CultureInfo.InvariantCulture)];

    public static int Run(string[] args)
    {
        using MessageServer server = new() { PutLatency = TimeSpan.FromMilliseconds(int.Parse(args[1], CultureInfo.InvariantCulture)) };
        _ = server.RunAsync();
        Console.Out.WriteLine(server.Port.ToString(CultureInfo.InvariantCulture));
        Console.In.ReadToEnd();
        return 0;
    }
}
