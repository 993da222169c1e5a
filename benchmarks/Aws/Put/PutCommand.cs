using System.Globalization;
using System.Text.Json;
using Harness.Pages;

namespace Benchmarks.Aws.Put;

/// <summary>Every client in turn, each in a new process, against one server; in several passes, so that a slow minute affects all alike.</summary>
internal static class PutCommand
{
    // The longest warm-up and rounds; a process that takes longer hangs.
    private const int LimitInRounds = 30;

    private static readonly TimeSpan StartLimit = TimeSpan.FromSeconds(30);

    public static async Task<int> RunAsync(double seconds, int inFlight, int passes, DirectoryInfo? results, CancellationToken cancellationToken)
    {
        // Before measuring, so that a folder that cannot be created fails first.
        results?.Create();
        Dictionary<PutClientKind, List<PutClientReport>> reports = Enum.GetValues<PutClientKind>().ToDictionary(kind => kind, _ => new List<PutClientReport>());
        Dictionary<PutClientKind, TimeSpan> serverTimes = Enum.GetValues<PutClientKind>().ToDictionary(kind => kind, _ => TimeSpan.Zero);
        using ChildProcess server = ChildProcess.Start(PutChildren.Server);
        string port = await server.ReadLineAsync(StartLimit, cancellationToken);
        for (int pass = 1; pass <= passes; pass++)
        {
            foreach (PutClientKind kind in Enum.GetValues<PutClientKind>())
            {
                TimeSpan before = server.ProcessorTime;
                PutClientReport report = await RunClientAsync(kind, port, seconds, inFlight, cancellationToken);
                serverTimes[kind] += server.ProcessorTime - before;
                reports[kind].Add(report);
                PutRow row = PutRow.Of(kind, [report], 0);
                await Console.Error.WriteLineAsync(
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"pass {pass} of {passes}: {kind}, {row.BytesAPut:N0} B and {row.CpuMicrosecondsAPut:F1} us of processor per PUT, {row.PutsASecond:N0} "
                            + $"PUT/s after {report.WarmUpRounds} rounds of warm-up{(report.Settled ? "" : " that did not settle")}"));
            }
        }

        PutRow[] rows =
            [.. reports.Select(one => PutRow.Of(one.Key, one.Value, serverTimes[one.Key].TotalMicroseconds / one.Value.Sum(report => report.TotalPuts)))];
        PutReport all = new(MachineInfo.Current(), TimeProvider.System.GetUtcNow(), PutObjects.BodyLength, inFlight, seconds, passes, rows);
        Console.Out.Write(all.ToTable());
        if (results is not null)
        {
            await File.WriteAllTextAsync(Path.Combine(results.FullName, "put.md"), all.ToTable(), cancellationToken);
            await File.WriteAllTextAsync(Path.Combine(results.FullName, "put.json"), all.ToJson(), cancellationToken);
        }

        return 0;
    }

    private static async Task<PutClientReport> RunClientAsync(
        PutClientKind kind, string port, double seconds, int inFlight, CancellationToken cancellationToken)
    {
        using ChildProcess client = ChildProcess.Start(
            PutChildren.Client, kind.ToString(), port, seconds.ToString(CultureInfo.InvariantCulture), inFlight.ToString(CultureInfo.InvariantCulture));
        string line = await client.ReadLineAsync(StartLimit + TimeSpan.FromSeconds(seconds * LimitInRounds), cancellationToken);
        return JsonSerializer.Deserialize<PutClientReport>(line)!;
    }
}
