using System.Globalization;
using Benchmarks.Reports;

namespace Benchmarks.Interleaved;

/// <summary>
/// Two subjects compared in several processes per case, a row per case. A case has processes of its own, as in a worker: a shared one
/// would mix the profiles that the JIT compiles by. There are several, since the JIT's choices make processes differ by some 5 %.
/// </summary>
/// <param name="verb">First argument of the process that measures one case; the case and the number of turns follow. It prints one line of
/// <see cref="TurnMedians"/>.</param>
/// <param name="kind">The heading of the cases.</param>
/// <param name="baseline">The baseline.</param>
/// <param name="subject">The subject that is compared with the baseline.</param>
internal sealed class RatioTable(string verb, string kind, string baseline, string subject)
{
    private static readonly TimeSpan ChildLimit = TimeSpan.FromMinutes(5);

    public string Header => $"{kind,-9}  {baseline + " ns",13}  {subject + " ns",8}  {subject + " / " + baseline,18}   of each process";

    /// <summary>A case's row: the process with the median ratio, and the ratios of all processes.</summary>
    public static string Row(string name, IReadOnlyCollection<TurnMedians> processes)
    {
        TurnMedians[] sorted = [.. processes.OrderBy(process => process.Ratio)];
        TurnMedians median = sorted[sorted.Length / 2];
        string all = string.Join(' ', sorted.Select(process => process.Ratio.ToString("F2", CultureInfo.InvariantCulture)));
        return string.Create(CultureInfo.InvariantCulture, $"{name,-9}  {median.Baseline,13:F0}  {median.Subject,8:F0}  {median.Ratio,18:F2}   {all}");
    }

    /// <param name="cases">The cases, a row each.</param>
    /// <param name="options">How often, and the folder for the rows.</param>
    /// <param name="cancellationToken">Ends the run.</param>
    public async Task<int> RunAsync(IEnumerable<string> cases, RatioOptions options, CancellationToken cancellationToken)
    {
        // Before measuring, so that a folder that cannot be created fails first.
        options.Results?.Create();
        List<RatioRow> rows = [];
        Console.Out.WriteLine(Header);
        foreach (string name in cases)
        {
            List<TurnMedians> processes = [];
            while (processes.Count < options.Launches)
            {
                using ChildProcess child = ChildProcess.Start(verb, name, options.Turns.ToString(CultureInfo.InvariantCulture));
                processes.Add(TurnMedians.Parse(await child.ReadLineAsync(ChildLimit, cancellationToken)));
            }

            Console.Out.WriteLine(Row(name, processes));
            rows.Add(RatioRow.Of(name, processes));
        }

        await ResultsFile.WriteAsync(
            options.Results, options.Name,
            $"{subject} in turns with {baseline}, {options.Turns} turns in each of {options.Launches} processes; ratios are medians of neighbouring turns, the "
                + "row is the process with the median ratio", rows, cancellationToken);

        return 0;
    }
}
