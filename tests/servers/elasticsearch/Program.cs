using System.Globalization;
using System.Runtime.InteropServices;

namespace ElasticsearchServer;

/// <summary>Serves until SIGINT, SIGTERM or the end of its redirected input: <c>ElasticsearchServer [port]</c>.</summary>
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

        TaskCompletionSource stop = new(TaskCreationOptions.RunContinuationsAsynchronously);
        using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, End);
        using PosixSignalRegistration terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, End);
        try
        {
            await using ServerHost host = await ServerHost.StartAsync(port);
            await Console.Out.WriteLineAsync($"elasticsearch listening on {host.Address}");
            await Console.Out.FlushAsync();

            // When the test process ends for any reason, the pipe closes and the server exits. Console.In reads synchronously.
            await Task.WhenAny(stop.Task, Console.IsInputRedirected ? Task.Run(Console.In.ReadToEnd) : Task.Delay(Timeout.Infinite));
            return 0;
        }
        catch (IOException exception)
        {
            await Console.Error.WriteLineAsync($"error: {exception.Message}");
            return 69;
        }

        void End(PosixSignalContext context)
        {
            context.Cancel = true;
            stop.TrySetResult();
        }
    }
}
