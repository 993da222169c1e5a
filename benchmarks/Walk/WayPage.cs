using System.Globalization;
using System.Text;

namespace Benchmarks.Walk;

/// <summary>The page <c>docs/explanation/the-way.md</c>: the stations with links to their files, and the figures of one run.</summary>
internal static class WayPage
{
    public const string Path = "docs/explanation/the-way.md";

    private const string FiguresHeading = "## Figures";

    /// <param name="files">The file of each type.</param>
    /// <param name="figures">The section of figures, from its heading on.</param>
    public static string Write(IReadOnlyDictionary<string, string> files, string figures)
    {
        StringBuilder page = new();
        page.Append(string.Create(CultureInfo.InvariantCulture, $$"""
            # The way of a message

            Which code does a message pass from SQS to S3, and in which order? It passes {{Stations.All.Count}} stations. Begin with the first file of each; the others are there for detail. A type that several stations use stands at the first of them.

            Two owners share the way. A source owns a message until the intake accepts it, and again from its settlement on; in between its slot owns it. [The pipeline](../evidence/pipeline.md) explains the chain, [Settlement](settlement.md) what happens in each fault.

            ```mermaid
            flowchart TB
              subgraph first [the source owns the message]
                direction LR
                s1[receive] --> s2[reserve] --> s3[call] --> s6[parse] --> s7[registry]
              end
              subgraph slot [its slot owns it]
                direction LR
                s8[accept] --> s9[pump] --> s10[chain] --> s11[header] --> s12[key] --> s14[store] --> s15["PUT, retry, suspend"] --> s17[decide]
              end
              subgraph last [the source owns it again]
                direction LR
                s18[settle] --> s19[delete]
              end
              first --> slot --> last
            ```

            `sign` and `count` belong to every call: the receive, the PUT and the delete.


            """).ReplaceLineEndings("\n"));
        int number = 0;
        foreach (Station station in Stations.All)
        {
            page.Append(CultureInfo.InvariantCulture, $"{++number}. **{station.Name}**: {station.Text} ")
                .AppendJoin(", ", station.Types.Select(type => $"[{type[(type.LastIndexOf('.') + 1)..]}]({LinkOf(type, files)})"))
                .Append('\n');
        }

        return page.Append('\n').Append(figures).ToString();
    }

    /// <param name="load">What the figures were counted under.</param>
    /// <param name="table">The figures.</param>
    /// <param name="machine">Where, and when.</param>
    public static string WriteFigures(string load, string table, string machine) => string.Create(
        CultureInfo.InvariantCulture,
        $$"""
        {{FiguresHeading}}
        `dotnet run -c Release --project benchmarks -- walk --write` writes this page. It runs the worker with counters in its code. {{machine}}

        {{load}}

        {{table}}

        - **types**: their code ran at least once per 25 messages. Nested types count with the type around them; generated nodes and interfaces are not counted.
        - **lock entries, interlocked**: in the product's code. Those in the framework's queues, sockets and timers are not counted.
        - **work items**: queued by the product's code.
        - **suspended**: an async method that had to wait for what it awaits, or a slot or a frame written by hand in its place.

        What is done once per call is divided by the messages of the call, so fewer messages per receive or delete raise every figure.

        """).ReplaceLineEndings("\n");

    /// <summary>The section of figures that a page has, from its heading on; empty when it has none.</summary>
    public static string FiguresOf(string page)
    {
        int start = page.IndexOf(FiguresHeading, StringComparison.Ordinal);
        return start < 0 ? string.Empty : page[start..];
    }

    private static string LinkOf(string type, IReadOnlyDictionary<string, string> files) => files.TryGetValue(type, out string? file)
        ? $"../../{file}"
        : throw new InvalidOperationException($"benchmarks/Walk/Stations.cs names {type}, which is no type with code in src: it was renamed or removed. Correct the table, then run: benchmarks walk --write.");
}
