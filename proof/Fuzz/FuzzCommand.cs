using System.CommandLine;
using System.Diagnostics;
using System.Globalization;
using Proof.Fuzz.Targets;

namespace Proof.Fuzz;

/// <summary><c>fuzz</c>: runs each parser beside a plain twin, on mutated inputs.</summary>
internal static class FuzzCommand
{
    private static readonly TimeSpan Hang = TimeSpan.FromSeconds(20);

    private static readonly Dictionary<string, Func<FuzzTarget>> Targets = new()
    {
        ["json"] = () => new JsonTarget(),
        ["key"] = () => new KeyTarget(),
        ["key-template"] = () => new KeyTemplateTarget(),
        ["sqs-receive"] = () => new SqsReceiveTarget(),
        ["sqs-batch"] = () => new SqsBatchTarget(),
        ["sqs-error"] = () => new SqsErrorTarget(),
        ["s3-error"] = () => new S3ErrorTarget(),
        ["s3-event"] = () => new S3EventTarget(),
        ["bulk"] = () => new BulkTarget(),
        ["log-rows"] = () => new LogRowsTarget(),
        ["gzip"] = () => new GzipTarget(),
        ["lines"] = () => new LinesTarget(),
        ["settings"] = () => new SettingsTarget(),
    };

    private static readonly Option<string> Target = new("--target") { Description = $"all, or one of {string.Join(", ", Targets.Keys)}", DefaultValueFactory = _ => "all" };
    private static readonly Option<long> Inputs = new("--inputs") { Description = "Inputs per target; a fiftieth of them for settings", DefaultValueFactory = _ => 1_000_000 };
    private static readonly Option<int> Seed = new("--seed") { Description = "Seed of the mutations", DefaultValueFactory = _ => 1 };
    private static readonly Option<int> Threads = new("--threads") { Description = "Number of threads", DefaultValueFactory = _ => Environment.ProcessorCount };
    private static readonly Option<string?> Input = new("--input") { Description = "Run one input: base64, or the file that a crash left" };

    public static Command Create()
    {
        Command command = new("fuzz", "Runs each parser beside a plain twin on mutated inputs; ends with 'N inputs, M failures'") { Target, Inputs, Seed, Threads, Input };
        Target.Validators.Add(result =>
        {
            if (result.GetValue(Target) is { } name && name != "all" && !Targets.ContainsKey(name))
            {
                result.AddError($"--target {name}: unknown target; must be {Target.Description}");
            }
        });
        command.SetAction(result => result.GetValue(Input) is { } input
            ? RunOne(result.GetValue(Target)!, input)
            : RunAll(result.GetValue(Target)!, result.GetValue(Inputs), result.GetValue(Seed), result.GetValue(Threads)));
        return command;
    }

    private static int RunOne(string name, string input)
    {
        byte[] bytes = File.Exists(input) ? GuardedBuffer.Read(input) : Convert.FromBase64String(input);
        string path = Path.GetTempFileName();
        using GuardedBuffer buffer = new(path, bytes.Length);
        buffer.Set(bytes);
        Targets[name]().Run(buffer.Memory);
        Console.WriteLine("1 inputs, 0 failures");
        return 0;
    }

    private static int RunAll(string name, long inputs, int seed, int threads)
    {
        string folder = Path.Combine("artifacts", "fuzz");
        Directory.CreateDirectory(folder);
        long done = 0;
        int failures = 0;
        foreach ((string target, Func<FuzzTarget> create) in Targets.Where(target => name == "all" || target.Key == name))
        {
            (long count, int failed) = Run(target, create, inputs / create().Slowness, seed, threads, folder);
            done += count;
            failures += failed;
        }

        Console.WriteLine($"{done} inputs, {failures} failures");
        return failures == 0 ? 0 : 1;
    }

    private static (long Done, int Failures) Run(string name, Func<FuzzTarget> create, long inputs, int seed, int threads, string folder)
    {
        Stopwatch watch = Stopwatch.StartNew();
        FuzzRun[] runs = [.. Enumerable.Range(0, threads).Select(thread => new FuzzRun(name, create, unchecked((seed * 1_000) + thread), folder))];
        Thread[] started = [.. runs.Select((run, index) => Start(run, (inputs / threads) + (index < inputs % threads ? 1 : 0)))];
        while (Array.Exists(started, thread => !thread.Join(TimeSpan.FromMilliseconds(100))))
        {
            if (Array.Find(runs, run => run.Busy > Hang) is { } hanging)
            {
                Console.WriteLine($"{name}: an input takes more than {Hang.TotalSeconds} s; it is kept in {folder}");
                Environment.Exit(1);
            }
        }

        long done = runs.Sum(run => run.Done);
        Console.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"{name}: {done} inputs, {runs.Sum(run => run.Failures)} failures, {watch.Elapsed.TotalMicroseconds * threads / done:0.00} us each, {runs.Sum(run => run.Corpus)} in the corpus"));
        Array.ForEach(runs, run => run.Dispose());
        return (done, runs.Sum(run => run.Failures));
    }

    private static Thread Start(FuzzRun run, long inputs)
    {
        Thread thread = new(() => run.Run(inputs));
        thread.Start();
        return thread;
    }
}
