using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using Worker.Archive;
using Worker.ObjectKeys;

namespace Benchmarks.Keys;

/// <summary>
/// Message bytes to key beside a bare scan of every token, in turns of about a millisecond, so that both meet the same machine. Each
/// template has processes of its own, as in a worker: a shared one would mix the profiles that the JIT compiles by. Several of them,
/// since the JIT's choices differ from one to the next by some 5 %.
/// </summary>
internal static class KeyRatio
{
    /// <summary>First argument of the process that measures one template; the second is the template's name.</summary>
    public const string Verb = "keys-child";

    private const int MessagesPerTurn = 2_000;
    private const int WarmUpTurns = 400;

    private static readonly TimeSpan ChildLimit = TimeSpan.FromMinutes(5);

    private static readonly (string Name, string Template, string Key)[] Cases =
    [
        ("depth 1", KeyTemplateOptions.DefaultTemplate, KeyInput.ExpectedKey),
        ("depth 2", KeyInput.DepthTwoTemplate, KeyInput.DepthTwoKey),
        ("depth 4", KeyInput.DepthFourTemplate, KeyInput.DepthFourKey),
    ];

    /// <summary>Measures every template and prints a row for each: of the processes the one with the median ratio, and the ratios of all.</summary>
    public static async Task<int> RunAsync(int launches, int turns, CancellationToken cancellationToken)
    {
        Console.Out.WriteLine("template   scan ns   key ns   key / scan   of each process");
        foreach ((string name, _, _) in Cases)
        {
            List<(double Scan, double Key, double Ratio)> results = [];
            for (int launch = 0; launch < launches; launch++)
            {
                using ChildProcess child = ChildProcess.Start(Verb, name, turns.ToString(CultureInfo.InvariantCulture));
                double[] figures = [.. (await child.ReadLineAsync(ChildLimit, cancellationToken)).Split(' ').Select(figure => double.Parse(figure, CultureInfo.InvariantCulture))];
                results.Add((figures[0], figures[1], figures[2]));
            }

            results.Sort(static (one, other) => one.Ratio.CompareTo(other.Ratio));
            (double scan, double key, double ratio) = results[launches / 2];
            string all = string.Join(' ', results.Select(result => result.Ratio.ToString("F2", CultureInfo.InvariantCulture)));
            Console.Out.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{name,-9}  {scan,7:F0}  {key,7:F0}  {ratio,11:F2}   {all}"));
        }

        return 0;
    }

    /// <summary>Measures one template and prints the medians of its turns: scan and key in nanoseconds per message, and key by scan.</summary>
    public static int RunChild(string name, string turnsText)
    {
        (_, string template, string expected) = Array.Find(Cases, one => one.Name == name);
        byte[] body = KeyInput.Bytes();
        WorkerKey key = new(BodyValidation.Full, template);
        KeyInput.Require(name, key.Text(body), expected);
        for (int turn = 0; turn < WarmUpTurns; turn++)
        {
            Scan(body);
            Keys(key, body);
        }

        int turns = int.Parse(turnsText, CultureInfo.InvariantCulture);
        double[] scans = new double[turns];
        double[] keys = new double[turns];
        double[] ratios = new double[turns];
        for (int turn = 0; turn < turns; turn++)
        {
            scans[turn] = Scan(body);
            keys[turn] = Keys(key, body);
            ratios[turn] = keys[turn] / scans[turn];
        }

        Console.Out.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{Median(scans):F1} {Median(keys):F1} {Median(ratios):F4}"));
        return 0;
    }

    private static double Median(double[] values)
    {
        Array.Sort(values);
        return values[values.Length / 2];
    }

    /// <returns>Nanoseconds per message.</returns>
    private static double Scan(byte[] body)
    {
        long started = Stopwatch.GetTimestamp();
        for (int message = 0; message < MessagesPerTurn; message++)
        {
            Utf8JsonReader reader = new(body);
            while (reader.Read())
            {
            }
        }

        return Stopwatch.GetElapsedTime(started).TotalNanoseconds / MessagesPerTurn;
    }

    /// <inheritdoc cref="Scan"/>
    private static double Keys(WorkerKey key, byte[] body)
    {
        long started = Stopwatch.GetTimestamp();
        for (int message = 0; message < MessagesPerTurn; message++)
        {
            key.Length(body);
        }

        return Stopwatch.GetElapsedTime(started).TotalNanoseconds / MessagesPerTurn;
    }
}
