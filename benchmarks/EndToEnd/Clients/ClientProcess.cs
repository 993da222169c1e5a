using System.Globalization;
using System.Text.Json;
using Benchmarks.Aws.Wire;

namespace Benchmarks.EndToEnd.Clients;

/// <summary>
/// A client in a process of its own: processes the messages of its queue, and answers each line of its input with a <see cref="ClientSample"/>.
/// </summary>
internal static class ClientProcess
{
    public const string Verb = "end-to-end-client";

    public static string[] Arguments(ClientSettings settings) =>
        [Verb, settings.Kind.ToString(), settings.Endpoint.AbsoluteUri, settings.Queue, settings.InFlight.ToString(CultureInfo.InvariantCulture),
            settings.Bundle.ToString(CultureInfo.InvariantCulture)];

    public static async Task<int> RunAsync(string[] args)
    {
        ClientSettings settings = new(
            Enum.Parse<ClientKind>(args[1]), new Uri(args[2]), args[3], int.Parse(args[4], CultureInfo.InvariantCulture),
            int.Parse(args[5], CultureInfo.InvariantCulture));
        Task work = Task.Run(() => WorkAsync(settings));
        Task asked = Task.Factory.StartNew(Answer, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        Task ended = await Task.WhenAny(work, asked);
        await ended;
        if (ended == work)
        {
            throw new InvalidOperationException("The client stopped working.");
        }

        return 0;
    }

    private static Task WorkAsync(ClientSettings settings)
    {
        if (settings.Kind.IsWorker())
        {
            return WorkerLoop.RunAsync(settings);
        }

        IQueueClient queue = settings.Kind is ClientKind.SdkSqsSdkS3 or ClientKind.SdkSqsSignedPut
            ? new SdkSqs(settings)
            : new PlainSqs(new HttpClient(new SocketsHttpHandler { UseProxy = false }) { Timeout = TimeSpan.FromSeconds(60) }, settings);
        IObjectWriter writer = settings.Kind is ClientKind.PlainSigned or ClientKind.SdkSqsSignedPut
            ? new SignedObjectWriter(settings.Endpoint, ClientSettings.Bucket)
            : new SdkObjectWriter(settings.Endpoint, ClientSettings.Bucket, settings.Kind == ClientKind.SdkTuned);
        return new TwinLoop(queue, writer, settings.Loops).RunAsync();
    }

    private static void Answer()
    {
        while (Console.In.ReadLine() is not null)
        {
            Console.Out.WriteLine(JsonSerializer.Serialize(ClientSample.Take(), EndToEndJson.Default.ClientSample));
        }
    }
}
