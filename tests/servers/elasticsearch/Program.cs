using System.Globalization;

namespace ElasticsearchServer;

/// <summary>Serves until its input ends, or for ever where it has none: <c>ElasticsearchServer [port]</c>.</summary>
internal static class Program
{
    public static async Task<int> Main(string[] arguments)
    {
        int port = 0;
        if (arguments.Length > 1 || (arguments.Length == 1 && !int.TryParse(arguments[0], NumberStyles.None, CultureInfo.InvariantCulture, out port)))
        {
            await Console.Error.WriteLineAsync("usage: ElasticsearchServer [port]");
            return 64;
        }

        await using ServerHost host = await ServerHost.StartAsync(port);
        await Console.Out.WriteLineAsync($"elasticsearch listening on {host.Address}");
        await Console.Out.FlushAsync();
        if (Console.IsInputRedirected)
        {
            await Console.In.ReadToEndAsync();
        }
        else
        {
            await Task.Delay(Timeout.Infinite);
        }

        return 0;
    }
}
