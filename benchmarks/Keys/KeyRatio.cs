using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using Benchmarks.Interleaved;
using Quayside.Messaging.Archive.Headers;
using Quayside.Messaging.Archive.ObjectKeys;

namespace Benchmarks.Keys;

/// <summary>Message bytes to key, alternating with a bare scan of every token.</summary>
internal static class KeyRatio
{
    /// <summary>First argument of the process that measures one template; the second is the template's name.</summary>
    public const string Verb = "keys-child";

    private const int MessagesPerTurn = 2_000;
    private const int WarmUpTurns = 400;

    private static readonly (string Name, string Template, string Key)[] Cases =
    [
        ("depth 1", ArchiveOptions.DefaultTemplate, KeyInput.ExpectedKey),
        ("depth 2", KeyInput.DepthTwoTemplate, KeyInput.DepthTwoKey),
        ("depth 4", KeyInput.DepthFourTemplate, KeyInput.DepthFourKey),
    ];

    /// <summary>Measures every template and prints a row for each.</summary>
    public static Task<int> RunAsync(RatioOptions options, CancellationToken cancellationToken) =>
        new RatioTable(Verb, "template", "scan", "key").RunAsync(Cases.Select(one => one.Name), options, cancellationToken);

    /// <summary>Measures one template and prints <see cref="TurnMedians"/>.</summary>
    public static int RunChild(string name, string turns)
    {
        (_, string template, string expected) = Array.Find(Cases, one => one.Name == name);
        byte[] body = KeyInput.Bytes();
        WorkerKey key = new(BodyValidation.Full, template);
        KeyInput.Require(name, key.Text(body), expected);
        Console.Out.WriteLine(Turns.Measure(() => Scan(body), () => Keys(key, body), WarmUpTurns, int.Parse(turns, CultureInfo.InvariantCulture)));
        return 0;
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
