using System.Globalization;
using System.Text.Json;
using Harness.Pages;

namespace Benchmarks.Sockets.Receiving;

/// <summary>Every receiver in turn, each with its sender in new processes; in several passes, so that a slow minute affects all alike.</summary>
internal static class ReceivingRun
{
    // Tier 1 takes a method after 30 calls and 100 ms of rest, and loops by on-stack replacement; nothing here takes longer than a second.
    private static readonly TimeSpan WarmUp = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan AnswerLimit = TimeSpan.FromSeconds(30);

    // Messages on their way when the sender ends arrive well within this time.
    private static readonly TimeSpan Settle = TimeSpan.FromSeconds(1);

    public static async Task<int> RunAsync(ReceivingCase what, ReceivingOptions options, CancellationToken cancellationToken)
    {
        // Before measuring, so that a folder that cannot be created fails first.
        options.Results?.Create();
        List<ReceivingPass> passes = [];
        for (int pass = 1; pass <= options.Passes; pass++)
        {
            foreach (string receiver in what.Receivers)
            {
                ReceivingPass done = await MeasureAsync(what, receiver, 0, options, cancellationToken);
                passes.Add(done);
                await Console.Error.WriteLineAsync($"pass {pass} of {options.Passes}: {ReceivingRow.Of(receiver, [done])}");
            }
        }

        ReceivingRow[] rows = [.. what.Receivers.Select(receiver => ReceivingRow.Of(receiver, [.. passes.Where(pass => pass.Receiver == receiver)]))];
        ReceivingPass? half = null;
        if (what.MeasuresLoss)
        {
            // Below saturation: half the rate of the last receiver, the worker's own.
            double rate = rows[^1].PerSecond / 2;
            half = await MeasureAsync(what, what.Receivers[^1], (long)rate, options, cancellationToken);
        }

        ReceivingReport report = new(MachineInfo.Current(), TimeProvider.System.GetUtcNow(), what, options.Seconds, options.Rounds, options.Passes, rows, half);
        Console.Out.Write(report.ToTable());
        if (options.Results is not null)
        {
            await File.WriteAllTextAsync(Path.Combine(options.Results.FullName, $"{what.File}.md"), report.ToTable(), cancellationToken);
            await File.WriteAllTextAsync(Path.Combine(options.Results.FullName, $"{what.File}.json"), report.ToJson(), cancellationToken);
        }

        return 0;
    }

    /// <param name="what">The benchmark.</param>
    /// <param name="name">The receiver.</param>
    /// <param name="rate">Messages to send per second; 0 for as many as possible.</param>
    /// <param name="options">Rounds and their length.</param>
    /// <param name="cancellationToken">Ends the measurement.</param>
    private static async Task<ReceivingPass> MeasureAsync(
        ReceivingCase what, string name, long rate, ReceivingOptions options, CancellationToken cancellationToken)
    {
        using ChildProcess receiver = ChildProcess.Start(what.ReceiverVerb, name);
        string port = await receiver.ReadLineAsync(AnswerLimit, cancellationToken);
        using ChildProcess sender = ChildProcess.Start(what.SenderVerb, port, rate.ToString(CultureInfo.InvariantCulture));
        await sender.ReadLineAsync(AnswerLimit, cancellationToken);
        await Task.Delay(WarmUp, cancellationToken);
        List<ReceivingRound> rounds = [];
        (ReceiverSample Receiver, ReceiverSample Sender) begin = await SampleAsync(receiver, sender, cancellationToken);
        for (int round = 0; round < options.Rounds; round++)
        {
            await Task.Delay(TimeSpan.FromSeconds(options.Seconds), cancellationToken);
            (ReceiverSample Receiver, ReceiverSample Sender) end = await SampleAsync(receiver, sender, cancellationToken);
            rounds.Add(ReceivingRound.Between(begin, end));
            begin = end;
        }

        // "stop" ends the sending; the answer has the final count.
        ReceiverSample sent = JsonSerializer.Deserialize<ReceiverSample>(await sender.SendAsync(SenderLoop.Stop, AnswerLimit, cancellationToken));
        await Task.Delay(Settle, cancellationToken);
        ReceiverSample received = JsonSerializer.Deserialize<ReceiverSample>(await receiver.AskAsync(AnswerLimit, cancellationToken));
        return received.Messages == 0
            ? throw new InvalidOperationException($"{name} received nothing.")
            : new ReceivingPass(name, rounds, sent.Messages, received.Messages);
    }

    private static async Task<(ReceiverSample Receiver, ReceiverSample Sender)> SampleAsync(
        ChildProcess receiver, ChildProcess sender, CancellationToken cancellationToken) =>
        (JsonSerializer.Deserialize<ReceiverSample>(await receiver.AskAsync(AnswerLimit, cancellationToken)),
            JsonSerializer.Deserialize<ReceiverSample>(await sender.AskAsync(AnswerLimit, cancellationToken)));
}
