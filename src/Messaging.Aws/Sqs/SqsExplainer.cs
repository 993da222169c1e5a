using Quayside.Messaging.Aws.Sqs.Wire;
using Quayside.Messaging.Costs.Explain;
using Quayside.Messaging.Sinks;
using static System.FormattableString;

namespace Quayside.Messaging.Aws.Sqs;

/// <summary>What <c>explain</c> shows for a route that receives from SQS.</summary>
internal sealed class SqsExplainer(SqsSourceOptions sqs, bool isFifo, AwsCostOptions costs) : IRouteExplainer
{
    private const int Full = SqsLimits.BatchEntries;

    private readonly double _price = costs.SqsPerMillion(isFifo);

    /// <summary>USD per day for receives at worst: each returns one message or none.</summary>
    public double ReceiveUsdPerDay(RouteLoad load) => new PollLoad(sqs, load).BilledAtWorst * _price / 1_000_000;

    public void ExplainCalls(RouteLoad load, RouteEstimate estimate)
    {
        PollLoad polls = new(sqs, load);
        long chunks = SqsOperation.ReceiveMessage.Billed.RequestsFor((long)Full * load.MessageBytes);
        estimate.Call("sqs.receive", "SQS ReceiveMessage, at best", load.MessagesPerDay / (double)Full, chunks, _price, Invariant($"full batches of {Full}, billed as {chunks:N0} request(s) each (64 KiB of payload per request)"));
        string worst = polls.IsMostlyIdle ? "the polls of an empty queue, which outnumber the messages" : "one message per call, when messages arrive one by one while a poll waits";
        estimate.Add("sqs.receive.worst", "SQS ReceiveMessage, at worst", polls.AtWorst, RouteEstimate.CallsPerDay, $"{worst}: {RouteEstimate.Usd(ReceiveUsdPerDay(load))} per day instead");
        double together = ExplainDeletes(load, estimate);
        ExplainPolls(load, polls, estimate);
        ExplainHeartbeats(load, estimate);
        if (isFifo)
        {
            double requests = (load.MessagesPerDay / (double)Full * chunks) + (load.MessagesPerDay / together);
            estimate.Save(requests * (_price - costs.SqsStandardPerMillion) / 1_000_000, "a standard queue instead of FIFO, if order does not matter");
        }
    }

    public void ExplainKill(RouteLoad load, RouteEstimate estimate)
    {
        double unacknowledged = Math.Ceiling(load.Rate * sqs.AcknowledgeDelay.TotalSeconds);
        string then = load.Results switch
        {
            SinkKind.Documents => "existing documents are found by their ids, none is lost",
            SinkKind.None => "the handler receives them again, none is lost",
            _ => "their objects are found, none is lost",
        };
        if (load.IsBundled)
        {
            unacknowledged = Math.Max(unacknowledged, load.MessagesPerObject);
            then = "none is lost; they may be stored a second time in other bundles: readers drop known ids";
        }

        estimate.Add("kill.redelivered", "redelivered by a kill, at most", load.Concurrency + unacknowledged, "messages", Invariant($"{load.Concurrency:N0} in flight + {unacknowledged:N0} stored and not yet deleted (Sources:Sqs:AcknowledgeDelay); {then}"));
    }

    /// <returns>Deletes per call.</returns>
    private double ExplainDeletes(RouteLoad load, RouteEstimate estimate)
    {
        double gathered = 1 + (load.Rate * sqs.AcknowledgeDelay.TotalSeconds);
        int ofOneBundle = load.IsBundled ? load.MessagesPerObject : 1;
        double together = Math.Min(Full, Math.Max(gathered, ofOneBundle));
        estimate.Call("sqs.delete", "SQS DeleteMessageBatch", load.MessagesPerDay / together, 1, _price, ofOneBundle > gathered
            ? Invariant($"{together:0.#} deletes per call: the messages of a bundle are acknowledged together, at most {Full} per call")
            : Invariant($"{together:0.#} deletes per call: those that gather within Sources:Sqs:AcknowledgeDelay ({sqs.AcknowledgeDelay.TotalMilliseconds:0} ms), at most {Full}"));
        if (together < Full)
        {
            TimeSpan needed = TimeSpan.FromSeconds(Math.Min((Full - 1) / load.Rate, 5));
            double then = Math.Min(Full, 1 + (load.Rate * needed.TotalSeconds));
            estimate.Save(load.MessagesPerDay * ((1 / together) - (1 / then)) * _price / 1_000_000, Invariant($"Sources:Sqs:AcknowledgeDelay={Math.Ceiling(needed.TotalMilliseconds):0}ms: {then:0.#} deletes per call; a kill redelivers the messages that wait"));
        }

        return together;
    }

    private void ExplainPolls(RouteLoad load, PollLoad polls, RouteEstimate estimate)
    {
        estimate.Add("sqs.loops", "receive loops", SqsMessageSource.LoopsFor(load.Concurrency), "loops", Invariant($"one per {Full} of Intake:Concurrency ({load.Concurrency:N0}); {polls.Concurrent:N0} of them poll an empty queue concurrently, because each reserves its slots first"));
        estimate.Add("sqs.idle", "SQS polls of an empty queue", polls.Idle, RouteEstimate.CallsPerDay, Invariant($"{polls.Concurrent:N0} polls of {polls.Seconds:0.#} s each (Sources:Sqs:WaitTime) on a day without any message: {RouteEstimate.Usd(polls.Idle * _price / 1_000_000)}, not in the sums below"));
        if (sqs.WaitTime < TimeSpan.FromSeconds(SqsLimits.WaitSeconds))
        {
            double longPolls = polls.Concurrent * RouteLoad.SecondsPerDay / SqsLimits.WaitSeconds;
            estimate.Save((polls.Idle - longPolls) * _price / 1_000_000, $"Sources:Sqs:WaitTime={SqsLimits.WaitSeconds}s, while the queue is empty: long polls answer as soon as a message arrives", atMost: true);
        }
    }

    private void ExplainHeartbeats(RouteLoad load, RouteEstimate estimate)
    {
        const string Name = "sqs.heartbeats";
        const string Title = "SQS ChangeMessageVisibilityBatch";
        double beat = sqs.VisibilityTimeout.TotalSeconds / 2;
        double wait = load.BundleWait.TotalSeconds;
        double renewals = load.IsBundled ? RenewalsPerMessage(wait, beat) : 0;
        if (renewals > 0)
        {
            estimate.Call(Name, Title, load.MessagesPerDay * renewals / Full, 1, _price, Invariant($"a bundle fills for {wait:0.#} s, and a message that waits is renewed every {beat:0} s (half of Sources:Sqs:VisibilityTimeout): {renewals:0.##} times on average, {Full} per call"));
            return;
        }

        estimate.Add(Name, Title, 0, RouteEstimate.CallsPerDay, Invariant($"a message settled within {beat:0} s (half of Sources:Sqs:VisibilityTimeout) needs no heartbeat; a sink that hangs with all {load.Concurrency:N0} slots in use needs {SqsMessageSource.LoopsFor(load.Concurrency):N0} calls every {beat:0} s"));
    }

    // The first message of a bundle waits as long as the bundle fills, the last not at all.
    private double RenewalsPerMessage(double wait, double beat)
    {
        double sum = 0;
        for (double waited = beat; waited < Math.Min(wait, sqs.MaxHoldTime.TotalSeconds); waited += beat)
        {
            sum += (wait - waited) / wait;
        }

        return sum;
    }
}
