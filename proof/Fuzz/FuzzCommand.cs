using System.CommandLine;
using System.Diagnostics;
using System.Globalization;
using Proof.Fuzz.Targets;
using Quayside.Messaging.Sockets.TcpLines;
using ArgumentResult = System.CommandLine.Parsing.ArgumentResult;

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
        ["log-json"] = () => new LogJsonTarget(),
        ["gzip"] = () => new GzipTarget(),
        ["lines"] = () => new LinesTarget(),
        ["frames-crlf"] = () => new FramesTarget(Framing.CrLf),
        ["frames-octets"] = () => new FramesTarget(Framing.OctetCounting),
        ["envelopes"] = () => new EnvelopeTarget(),
        ["json-lines"] = () => new JsonLinesTarget(),
        ["base64"] = () => new Base64Target(),
        ["cloudevents"] = () => new CloudEventsTarget(),
        ["sns-signed"] = () => new SnsSignedTarget(),
        ["put-signature"] = () => new PutSignatureTarget(),
        ["settings"] = () => new SettingsTarget(),
    };

    private static readonly Option<string> Target =
        new("--target") { Description = $"all, or one of {string.Join(", ", Targets.Keys)}", DefaultValueFactory = _ => "all" };
    private static readonly Option<int> Inputs = Options.Number("--inputs", "Inputs per target; a fiftieth of them for settings", 1_000_000);
    private static readonly Option<int> Seed = Options.Number("--seed", "Seed of the mutations", 1);
    private static readonly Option<int> Threads = Options.Number("--threads", "Number of threads", Environment.ProcessorCount);
    private static readonly Option<byte[]?> Input =
        new("--input") { Description = "Run one input of --target, in base64", HelpName = "base64", CustomParser = ParseInput };
    private static readonly Option<byte[]?> FromFile =
        new("--file") { Description = "Run one input of --target: the one in a file that a crash left", HelpName = "file", CustomParser = ReadInput };

    public static Command Create()
    {
        Command command = new("fuzz", "Runs each parser beside a plain twin on mutated inputs; ends with 'N inputs, M failures'")
            { Target, Inputs, Seed, Threads, Input, FromFile, ResultLog.Record };
        Target.Validators.Add(result =>
        {
            if (result.GetValue(Target) is { } name && name != "all" && !Targets.ContainsKey(name))
            {
                result.AddError($"--target {name}: unknown target; must be {Target.Description}");
            }
        });
        command.Validators.Add(result =>
        {
            if ((result.GetResult(Input) is not null || result.GetResult(FromFile) is not null) && result.GetValue(Target) == "all")
            {
                result.AddError("--input and --file need --target: the parser that gets the input");
            }
        });
        command.SetAction(result => (Given(result, Input) ?? Given(result, FromFile)) is { } input
            ? RunOne(result.GetValue(Target)!, input)
            : RunAll(
                Chosen(result.GetValue(Target)!), result.GetValue(Inputs), result.GetValue(Seed), result.GetValue(Threads), result.GetValue(ResultLog.Record)));
        return command;
    }

    private static IEnumerable<KeyValuePair<string, Func<FuzzTarget>>> Chosen(string name) => Targets.Where(target => name == "all" || target.Key == name);

    // The value of an array that is not given is an empty one.
    private static byte[]? Given(ParseResult result, Option<byte[]?> option) => result.GetResult(option) is null ? null : result.GetValue(option);

    private static byte[]? ParseInput(ArgumentResult result)
    {
        byte[] bytes = new byte[result.Tokens[0].Value.Length];
        if (Convert.TryFromBase64String(result.Tokens[0].Value, bytes, out int length))
        {
            return bytes[..length];
        }

        result.AddError($"--input {result.Tokens[0].Value}: must be base64; for a file use --file");
        return null;
    }

    private static byte[]? ReadInput(ArgumentResult result)
    {
        string path = result.Tokens[0].Value;
        try
        {
            return GuardedBuffer.Read(path);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or InvalidDataException)
        {
            result.AddError($"--file {path}: {exception.Message}");
            return null;
        }
    }

    private static int RunOne(string name, byte[] input)
    {
        string path = Path.GetTempFileName();
        using GuardedBuffer buffer = new(path, input.Length);
        buffer.Set(input);
        int failures = 0;
        try
        {
            Targets[name]().Run(buffer.Memory);
        }
#pragma warning disable CA1031 // Any exception is a finding.
        catch (Exception exception)
#pragma warning restore CA1031
        {
            failures = 1;
            Console.WriteLine($"{name}: {(exception is FuzzException ? exception.Message : exception.ToString())}");
        }

        Console.WriteLine($"{name}: {input.Length} bytes");
        Console.WriteLine($"1 inputs, {failures} failures");
        return failures;
    }

    private static int RunAll(IEnumerable<KeyValuePair<string, Func<FuzzTarget>>> targets, int inputs, int seed, int threads, string? record)
    {
        string folder = Path.Combine("artifacts", "fuzz");
        Directory.CreateDirectory(folder);
        long done = 0;
        int failures = 0;
        foreach ((string target, Func<FuzzTarget> create) in targets)
        {
            FuzzTarget first = create();
            (long count, int failed) = Run(target, create, new Corpus(first.Corpus), inputs / first.Slowness, seed, threads, folder);
            done += count;
            failures += failed;
            ResultLog.Append(record, $"fuzz {target}", $"{seed}", count, failed);
        }

        Console.WriteLine($"{done} inputs, {failures} failures");
        return failures == 0 ? 0 : 1;
    }

    private static (long Done, int Failures) Run(string name, Func<FuzzTarget> create, Corpus corpus, long inputs, int seed, int threads, string folder)
    {
        Stopwatch watch = Stopwatch.StartNew();
        FuzzRun[] runs = [.. Enumerable.Range(0, threads).Select(thread => new FuzzRun(name, create, corpus, unchecked((seed * 1_000) + thread), folder))];
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
            $"{name}: {done} inputs, {runs.Sum(run => run.Failures)} failures, "
                + $"{watch.Elapsed.TotalMicroseconds * threads / done:0.00} us each, {corpus.Count} in the corpus"));
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
