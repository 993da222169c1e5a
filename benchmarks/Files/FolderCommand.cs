using System.CommandLine;
using System.Diagnostics;
using System.Globalization;
using System.Runtime.Versioning;
using System.Text;
using Benchmarks.Reports;
using Harness.Pages;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Win32.SafeHandles;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Storage;

namespace Benchmarks.Files;

/// <summary><c>folder</c>: the folder sink beside threads that do no more than a durable write needs.</summary>
internal static class FolderCommand
{
    private const int Concurrency = 64;
    private const string ObjectFolder = "my_product/site_key/my_event/2019/04/01/10";

    private static readonly byte[] Body = new byte[1_024];

    public static Command Create()
    {
        Option<DirectoryInfo> folder = new("--folder")
        {
            Description = "Folder on the disk to measure; what the benchmark writes there is deleted",
            DefaultValueFactory = _ => new DirectoryInfo(Path.Combine("artifacts", "folder"))
        };
        Option<int> objects = new("--objects") { Description = "Objects per round", DefaultValueFactory = _ => 5_000 };
        objects.InRange(100, 1_000_000);
        Option<int> rounds = new("--rounds") { Description = "Rounds per row, in turns; the median is shown", DefaultValueFactory = _ => 5 };
        rounds.InRange(1, 100);
        Option<DirectoryInfo?> results = new("--results") { Description = "Folder for folder.json" };
        Command command = new(
            "folder",
            "Stores objects of 1 KiB durably, 64 in parallel: the folder sink beside threads that write, fsync, rename and share the folder's fsync (a minute)")
            { folder, objects, rounds, results };
        command.SetAction((result, cancellationToken) => OperatingSystem.IsWindows()
            ? throw new InvalidOperationException("The benchmark runs on Unix: Windows has no fsync of folders.")
            : RunAsync(result.GetValue(folder)!, result.GetValue(objects), result.GetValue(rounds), result.GetValue(results), cancellationToken));
        return command;
    }

    [UnsupportedOSPlatform("windows")]
    private static async Task<int> RunAsync(DirectoryInfo folder, int objects, int rounds, DirectoryInfo? results, CancellationToken cancellationToken)
    {
        // Before measuring, so that a folder that cannot be created fails first.
        results?.Create();
        (string Name, Func<string, Task> Store)[] rows =
        [
            ("Bare threads, 64", root => BareAsync(root, objects, Concurrency)),
            ("Bare threads, 16", root => BareAsync(root, objects, 16)),
            ("Folder sink, Threads 64", root => SinkAsync(root, objects, Concurrency)),
            ("Folder sink, default", root => SinkAsync(root, objects, new DirectorySinkOptions { Path = root }.Threads)),
        ];
        Dictionary<string, List<(double PerSecond, double Microseconds)>> measured = rows.ToDictionary(row => row.Name, _ => new List<(double, double)>());
        for (int round = -1; round < rounds; round++)
        {
            foreach ((string name, Func<string, Task> store) in rows)
            {
                string root = Path.Combine(folder.FullName, Guid.NewGuid().ToString("N"));
                TimeSpan processor = Environment.CpuUsage.TotalTime;
                long started = Stopwatch.GetTimestamp();
                await store(root);
                double seconds = Stopwatch.GetElapsedTime(started).TotalSeconds;
                double microseconds = (Environment.CpuUsage.TotalTime - processor).TotalMicroseconds / objects;
                int stored = Directory.EnumerateFiles(Path.Combine(root, ObjectFolder)).Count();
                Directory.Delete(root, recursive: true);
                if (stored != objects)
                {
                    throw new InvalidOperationException($"{name}: of {objects} objects {stored} are stored.");
                }

                if (round >= 0)
                {
                    measured[name].Add((objects / seconds, microseconds));
                }
            }
        }

        double bare = Median(measured[rows[0].Name]).PerSecond;
        StringBuilder text = new();
        text.Append(
            CultureInfo.InvariantCulture,
            $"# Objects of {Body.Length:N0} B in a folder, with fsync\n\n{MachineInfo.Current()}; {objects:N0} objects per round, "
                + $"medians of {rounds} rounds in turns\n\n");
        text.Append("| | objects/s | of 64 bare threads | us of processor per object |\n|---|---:|---:|---:|\n");
        foreach ((string name, _) in rows)
        {
            (double perSecond, double microseconds) = Median(measured[name]);
            text.Append(CultureInfo.InvariantCulture, $"| {name} | {perSecond:N0} | {perSecond / bare:F2} | {microseconds:F0} |\n");
        }

        Console.Out.Write(text);
        await ResultsFile.WriteAsync(
            results,
            "folder",
            $"{objects} objects per round, medians of {rounds} rounds in turns",
            [.. measured
                .Select(of => (of.Key, Median: Median(of.Value), of.Value))
                .Select(
                    of => new { Row = of.Key, CpuMicroseconds = of.Median.Microseconds, ObjectsPerSecond = of.Median.PerSecond,
                        ObjectsPerSecondOfRounds = of.Value.Select(round => round.PerSecond) })],
            cancellationToken);
        return 0;
    }

    private static (double PerSecond, double Microseconds) Median(List<(double PerSecond, double Microseconds)> rounds) =>
        rounds.Order().ElementAt(rounds.Count / 2);

    private static async Task SinkAsync(string root, int objects, int threads)
    {
        await using ServiceProvider none = new ServiceCollection().BuildServiceProvider();
        SinkServices services = new() { Services = none };
        await using DirectorySink sink = new(new DirectorySinkOptions { Path = root, Threads = threads }, services);
        await sink.CheckAsync(CancellationToken.None);
        int next = -1;
        await Task.WhenAll(Enumerable.Range(0, Concurrency).Select(_ => Task.Run(async () =>
        {
            for (int i = Interlocked.Increment(ref next); i < objects; i = Interlocked.Increment(ref next))
            {
                SinkResult result = await sink.StoreAsync(Encoding.UTF8.GetBytes($"{ObjectFolder}/{i:x8}.json"), Body, CancellationToken.None);
                if (result.Status != SinkStatus.Stored)
                {
                    throw new InvalidOperationException($"Object {i} is not stored: {result}");
                }
            }
        })));
    }

    [UnsupportedOSPlatform("windows")]
    private static Task BareAsync(string root, int objects, int threads)
    {
        string folder = Directory.CreateDirectory(Path.Combine(root, ObjectFolder)).FullName;
        SharedFlush flush = new(folder);
        int next = -1;
        return Task.WhenAll(Enumerable.Range(0, threads).Select(thread => Task.Factory.StartNew(
            () =>
            {
                for (int i = Interlocked.Increment(ref next); i < objects; i = Interlocked.Increment(ref next))
                {
                    string temporary = Path.Combine(root, $"{thread}.tmp");
                    using (SafeFileHandle file = File.OpenHandle(temporary, FileMode.CreateNew, FileAccess.Write))
                    {
                        RandomAccess.Write(file, Body, 0);
                        RandomAccess.FlushToDisk(file);
                    }

                    File.Move(temporary, Path.Combine(folder, $"{i:x8}.json"));
                    flush.Run();
                }
            },
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default)));
    }

    /// <summary>One fsync of a folder for all threads that have renamed a file before it began.</summary>
    [UnsupportedOSPlatform("windows")]
    private sealed class SharedFlush(string folder)
    {
        private readonly object _lock = new();
        private long _begun;
        private long _ended;
        private bool _running;

        public void Run()
        {
            lock (_lock)
            {
                long needed = _begun + 1;
                while (_ended < needed)
                {
                    if (_running)
                    {
                        Monitor.Wait(_lock);
                        continue;
                    }

                    _running = true;
                    long mine = ++_begun;
                    Monitor.Exit(_lock);
                    try
                    {
                        PosixCalls.SyncFolder(folder);
                    }
                    finally
                    {
                        Monitor.Enter(_lock);
                    }

                    _running = false;
                    _ended = mine;
                    Monitor.PulseAll(_lock);
                }
            }
        }
    }
}
