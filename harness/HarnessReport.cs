using System.Text.Json;
using System.Text.Json.Serialization;
using Harness.Recording;
using Quayside.Messaging.Telemetry;

namespace Harness;

/// <summary>The figures of one run; processing only, publishing is not counted (over HTTP both happen together).</summary>
/// <param name="Messages">Messages stored.</param>
/// <param name="Seconds">Wall time.</param>
/// <param name="MessagesPerSecond">Messages divided by seconds.</param>
/// <param name="BytesPerMessage">Bytes allocated by the whole process, divided by messages.</param>
/// <param name="Gen0">Collections of generation 0.</param>
/// <param name="Gen1">Collections of generation 1.</param>
/// <param name="Gen2">Collections of generation 2.</param>
/// <param name="Form">The pipeline form.</param>
/// <param name="Source">The source.</param>
/// <param name="Sink">The sink.</param>
internal sealed record HarnessReport(
    long Messages,
    double Seconds,
    double MessagesPerSecond,
    double BytesPerMessage,
    int Gen0,
    int Gen1,
    int Gen2,
    string Form,
    string Source,
    string Sink)
{
    /// <summary>The form, and the sink, of a run without the worker.</summary>
    public const string NoForm = "none";

    /// <summary>Bytes allocated by the whole process.</summary>
    [JsonIgnore]
    public long Bytes { get; init; }

    /// <summary>Processor time of the whole process, user and kernel, divided by messages.</summary>
    public double ProcessorMicrosecondsPerMessage { get; init; }

    /// <summary>Total time for which collections stopped all threads.</summary>
    public double PauseMilliseconds { get; init; }

    /// <summary>The allocated bytes by type; null unless requested.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public IReadOnlyList<AllocationRow>? Allocations { get; init; }

    /// <summary>The share of the allocated bytes that the allocations by type account for; 1 is all.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public double? AllocationsCoverage { get; init; }

    /// <summary>The further data of a report; null unless a report or a file of figures is requested.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public RunRecord? Record { get; init; }

    /// <summary>Calls of AWS since the start, by service and operation; null when there were none.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public IReadOnlyDictionary<string, long>? ApiCalls { get; init; }

    /// <summary>Messages that could be in flight at the end, as the worker found; null without the worker.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public int? InFlightLimit { get; init; }

    /// <summary>The calls as text, with the estimated cost.</summary>
    [JsonIgnore]
    public string? CallsText { get; init; }

    [JsonIgnore]
    public AllocationTable? Table { get; private init; }

    public HarnessReport With(AllocationTable table) =>
        this with { Table = table, Allocations = table.Rows, AllocationsCoverage = Math.Round(table.Share(Bytes), 4) };

    public void Write(bool json, RouteTotals totals)
    {
        if (json)
        {
            Console.Out.WriteLine(JsonSerializer.Serialize(this, HarnessJson.Default.HarnessReport));
            return;
        }

        Console.Out.WriteLine($"""
            {(Form == NoForm ? $"no pipeline, {Source}" : $"{Form} form, {Source} -> {Sink}")}
            Stored       {Messages:N0} messages in {Seconds:N3} s ({MessagesPerSecond:N0} messages/s); dead letters {totals.DeadLetters:N0}, returned {totals.Returned:N0}
            Allocated    {BytesPerMessage:N0} bytes per message
            Collections  gen0 {Gen0}, gen1 {Gen1}, gen2 {Gen2}
            """);
        if (InFlightLimit is { } limit)
        {
            Console.Out.WriteLine($"In flight    up to {limit:N0} messages at the end");
        }

        if (CallsText is not null)
        {
            Console.Out.WriteLine($"Calls        {CallsText}");
        }

        Table?.Write(Console.Out, Messages, Bytes);
    }
}
