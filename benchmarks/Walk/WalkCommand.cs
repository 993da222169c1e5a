using System.CommandLine;
using System.Globalization;
using System.Text.Json;
using Benchmarks.EndToEnd;
using Benchmarks.EndToEnd.Clients;
using Benchmarks.EndToEnd.Server;

namespace Benchmarks.Walk;

/// <summary><c>walk</c>: the types, files and locks that a message passes from SQS to S3, counted in the running worker.</summary>
internal static class WalkCommand
{
    /// <summary>The first argument of the worker's process; endpoint and queue follow.</summary>
    public const string Verb = "walk-child";

    private const int Messages = 50_000;
    private const string Queue = "walk";

    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(60);

    // Without profiles a method is compiled a second time at once, not after one more round.
    private static readonly (string Name, string Value)[] Environment = [("DOTNET_TieredPGO", "0"), ("DOTNET_TC_BackgroundWorkerTimeoutMs", "0")];

    public static Command Create()
    {
        Option<bool> list = new("--list") { Description = "Print each type with its methods" };
        Command command = new("walk", "Counts the types, files and locks of the worker that a message passes from SQS to S3: the methods that are called for most messages (half a minute)") { list };
        command.SetAction(async (result, cancellationToken) =>
        {
            IReadOnlyList<HotMethod> methods = await MeasureAsync(cancellationToken);
            Console.Out.WriteLine(Describe(methods));
            if (result.GetValue(list))
            {
                foreach (IGrouping<string, HotMethod> type in methods.GroupBy(method => method.Type).OrderBy(type => type.Key, StringComparer.Ordinal))
                {
                    Console.Out.WriteLine($"{type.Key}: {string.Join(", ", type.Select(method => method.Locks > 0 ? $"{method.Name} ({method.Locks} locks)" : method.Name).Distinct(StringComparer.Ordinal))}");
                }
            }

            return 0;
        });
        return command;
    }

    public static string Describe(IReadOnlyList<HotMethod> methods) => string.Create(
        CultureInfo.InvariantCulture,
        $"{methods.Select(method => method.Type).Distinct().Count()} types, {methods.Select(method => method.File).Distinct().Count()} files, {methods.DistinctBy(method => (method.Type, method.Name)).Sum(method => method.Locks)} locks");

    /// <exception cref="InvalidOperationException">The worker did not finish.</exception>
    public static async Task<IReadOnlyList<HotMethod>> MeasureAsync(CancellationToken cancellationToken)
    {
        using MessageServer server = new();
        _ = server.RunAsync();
        Uri endpoint = new($"http://127.0.0.1:{server.Port}");
        using ChildProcess worker = ChildProcess.Start([Verb, endpoint.AbsoluteUri, Queue], Environment);
        using HttpClient http = new();

        // Several times: the runtime compiles in the background, once no new method has been called for a while.
        for (int round = 0; round < 3; round++)
        {
            using HttpResponseMessage filled = await http.GetAsync(new Uri(endpoint, $"/control/fill/{Queue}/{Messages}"), cancellationToken);
            filled.EnsureSuccessStatusCode();
            await WaitAsync(http, endpoint, cancellationToken);
        }

        return JsonSerializer.Deserialize<List<HotMethod>>(await worker.AskAsync(Limit, cancellationToken))!;
    }

    public static async Task<int> RunChildAsync(string endpoint, string queue)
    {
        using HotMethods methods = new();
        Task work = Task.Run(() => WorkerLoop.RunAsync(new ClientSettings(ClientKind.WorkerDirect, new Uri(endpoint), queue, ClientSettings.Found)));
        Task asked = Task.Run(async () =>
        {
            await Console.In.ReadLineAsync();
            Console.Out.WriteLine(JsonSerializer.Serialize(methods.Read()));
            await Console.In.ReadLineAsync();
        });
        await await Task.WhenAny(work, asked);
        return 0;
    }

    private static async Task WaitAsync(HttpClient http, Uri endpoint, CancellationToken cancellationToken)
    {
        using CancellationTokenSource patience = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        patience.CancelAfter(Limit);
        while (true)
        {
            using Stream answer = await http.GetStreamAsync(new Uri(endpoint, $"/control/totals/{Queue}"), patience.Token);
            QueueTotals totals = (await JsonSerializer.DeserializeAsync(answer, EndToEndJson.Default.QueueTotals, patience.Token))!;
            if (totals.Deleted == totals.Messages)
            {
                return;
            }

            await Task.Delay(100, patience.Token);
        }
    }
}
