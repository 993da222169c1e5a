using System.Text.Json;
using Worker.Telemetry;

namespace Harness;

/// <summary>The figures of one run; processing only, publishing is not counted (over HTTP the two are one).</summary>
/// <param name="Messages">Messages stored.</param>
/// <param name="Seconds">Wall time.</param>
/// <param name="MessagesPerSecond">Messages by seconds.</param>
/// <param name="BytesPerMessage">Bytes allocated by the whole process, by messages.</param>
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
    public void Write(bool json, RouteTotals totals)
    {
        if (json)
        {
            Console.Out.WriteLine(JsonSerializer.Serialize(this, HarnessJson.Default.HarnessReport));
            return;
        }

        Console.Out.WriteLine($"""
            {Form} form, {Source} -> {Sink}
            Stored       {Messages:N0} messages in {Seconds:N3} s ({MessagesPerSecond:N0} messages/s); dead letters {totals.DeadLetters:N0}, handed back {totals.Returned:N0}
            Allocated    {BytesPerMessage:N0} bytes a message
            Collections  gen0 {Gen0}, gen1 {Gen1}, gen2 {Gen2}
            """);
    }
}
