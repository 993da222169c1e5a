using System.Globalization;
using Worker.Sinks.Bundles;
using Worker.Sources.Sqs;
using Worker.Sources.Sqs.Wire;

namespace Worker.Costs.Explain;

/// <summary>Derives calls, costs and limits of one route from its settings. Every figure says how; none is measured.</summary>
internal sealed class RouteExplainer
{
    private const int DaysAMonth = 30;

    private readonly RouteSettings _route;
    private readonly ExplainInput _input;
    private readonly List<ExplainLine> _lines = [];
    private readonly List<ExplainSaving> _savings = [];
    private readonly int _perObject;
    private double _usdADay;

    private RouteExplainer(RouteSettings route, ExplainInput input)
    {
        _route = route;
        _input = input;
        _perObject = input.MessagesPerObject ?? (route.Bundles.Enabled ? BundleSize(route.Bundles) : 1);
    }

    /// <summary>Explains a route.</summary>
    public static RouteExplanation Explain(RouteSettings route, ExplainInput input)
    {
        RouteExplainer explainer = new(route, input);
        explainer.Run();
        return new RouteExplanation(route.Name, route.Sources, route.Sink, explainer._lines, [.. explainer._savings.Where(saving => saving.UsdPerMonth > 0).OrderByDescending(saving => saving.UsdPerMonth)]);
    }

    private void Run()
    {
        Add("rate", "messages a second", _input.Rate, "messages/s", $"{_input.MessagesPerDay:N0} a day, spread evenly over 86,400 s");
        Add("objects.day", "objects a day", Objects(), "objects/day", DescribeObjects());
        if (_route.Sqs is { } sqs)
        {
            ExplainSqs(sqs);
        }

        if (_route.S3 is not null)
        {
            ExplainS3();
        }

        ExplainCost();
        ExplainLimits();
        ExplainKill();
    }

    private void ExplainSqs(SqsSourceOptions sqs)
    {
        bool fifo = SqsQueueReference.Parse(sqs.Queue!)!.IsFifo;
        double price = fifo ? _route.Costs.SqsFifoPerMillion : _route.Costs.SqsStandardPerMillion;
        const int Full = SqsLimits.BatchEntries;
        int concurrency = _route.Intake.Concurrency;

        long chunks = ApiCalls.ChunksOf((long)Full * _input.MessageBytes);
        Call("sqs.receive", "SQS ReceiveMessage", _input.MessagesPerDay / (double)Full, chunks, price, $"at best: full batches of {Full}, billed as {chunks} request(s) each (64 KiB of payload a request)");
        double worst = _input.MessagesPerDay * ApiCalls.ChunksOf(_input.MessageBytes);
        Add("sqs.receive.worst", "  the same, at worst", worst, "requests/day", $"one message a call, where messages trickle in while a poll waits: {Usd(worst * price / 1_000_000)} a day instead");

        double together = Math.Min(Full, 1 + (_input.Rate * sqs.AcknowledgeDelay.TotalSeconds));
        Call("sqs.delete", "SQS DeleteMessageBatch", _input.MessagesPerDay / together, 1, price, $"{together:0.#} deletes a call: what gathers within Sources:Sqs:AcknowledgeDelay ({Milliseconds(sqs.AcknowledgeDelay)}), {Full} at most");
        if (together < Full)
        {
            TimeSpan needed = TimeSpan.FromSeconds(Math.Min((Full - 1) / _input.Rate, 5));
            double then = Math.Min(Full, 1 + (_input.Rate * needed.TotalSeconds));
            Save(_input.MessagesPerDay * ((1 / together) - (1 / then)) * price, $"Sources:Sqs:AcknowledgeDelay={Math.Ceiling(needed.TotalMilliseconds):0}ms: {then:0.#} deletes a call; a kill redelivers what waits that long");
        }

        int polls = SqsMessageSource.PollsAtOnce(concurrency);
        double seconds = sqs.WaitTime > TimeSpan.Zero ? sqs.WaitTime.TotalSeconds : SqsMessageSource.ShortPollPause.TotalSeconds;
        double idle = polls * ExplainInput.SecondsADay / seconds;
        Add("sqs.loops", "receive loops", SqsMessageSource.LoopsFor(concurrency), "loops", $"one for {Full} of Intake:Concurrency ({concurrency}); {polls} of them poll an empty queue at once, since each reserves its slots first");
        Add("sqs.idle", "SQS polls of an empty queue", idle, "requests/day", $"{polls} polls of {seconds:0.#} s each (Sources:Sqs:WaitTime) on a day without any message: {Usd(idle * price / 1_000_000)}, not in the sums below");
        if (sqs.WaitTime < TimeSpan.FromSeconds(SqsLimits.WaitSeconds))
        {
            Save((idle - (polls * ExplainInput.SecondsADay / SqsLimits.WaitSeconds)) * price, $"Sources:Sqs:WaitTime={SqsLimits.WaitSeconds}s, as far as the queue is empty: long polls answer as soon as a message comes");
        }

        double beat = sqs.VisibilityTimeout.TotalSeconds / 2;
        Add("sqs.heartbeats", "SQS ChangeMessageVisibilityBatch", 0, "requests/day", $"a message settled within {beat:0} s (half of Sources:Sqs:VisibilityTimeout) needs no heartbeat; a sink that hangs with all {concurrency} slots in use needs {SqsMessageSource.LoopsFor(concurrency)} calls every {beat:0} s");
        if (fifo)
        {
            Save((_input.MessagesPerDay / (double)Full * chunks + (_input.MessagesPerDay / together)) * (price - _route.Costs.SqsStandardPerMillion), "a standard queue instead of FIFO, where order does not matter");
        }
    }

    private void ExplainS3()
    {
        double puts = Objects();
        Call("s3.put", "S3 PutObject", puts, 1, _route.Costs.S3PutPerMillion, "one an object; retries and duplicates (a HEAD each) come on top");
        if (!_route.S3!.Conditional)
        {
            Call("s3.head", "S3 HeadObject", puts, 1, _route.Costs.S3GetPerMillion, "Sinks:S3:Conditional is false: each object is looked for first");
            Save(puts * _route.Costs.S3GetPerMillion, "Sinks:S3:Conditional=true, where the store knows If-None-Match");
        }

        int bundle = BundleSize(_route.Bundles);
        if (_perObject < bundle)
        {
            int slots = _route.Bundles.MaxMessages * 2;
            string needs = _route.Intake.Concurrency < slots ? $" with Intake:Concurrency={slots}" : string.Empty;
            Save((puts - (_input.MessagesPerDay / (double)bundle)) * _route.Costs.S3PutPerMillion, $"Bundles:Enabled=true{needs}: {bundle} messages an object instead of {_perObject}, where they have one key prefix; each waits up to {_route.Bundles.MaxAge.TotalSeconds:0.#} s longer");
        }
    }

    private void ExplainCost()
    {
        if (_route.Sqs is null && _route.S3 is null)
        {
            Add("cost.day", "estimated cost a day", 0, "USD", $"no calls of AWS: {string.Join(", ", _route.Sources)} and {_route.Sink} need no service");
            return;
        }

        Add("cost.day", "estimated cost a day", _usdADay, "USD", "the calls above at best, by the prices of the section Costs; storage, transfer and free tiers are left out");
        Add("cost.month", "estimated cost a month", _usdADay * DaysAMonth, "USD", $"{DaysAMonth} days");
        Add("cost.million", "estimated cost a million messages", _usdADay / _input.MessagesPerDay * 1_000_000, "USD", "cost a day by messages a day");
    }

    private void ExplainLimits()
    {
        double seconds = _input.PutMilliseconds / 1_000.0;
        double needed = _input.Rate / _perObject * seconds;
        int allowed = Math.Min(_route.Slots, _route.S3?.MaxConcurrency ?? int.MaxValue);
        string limit = _route.S3?.MaxConcurrency is { } max && max < _route.Slots ? $"Sinks:S3:MaxConcurrency allows {max}" : $"Intake:Concurrency allows {_route.Intake.Concurrency} for each of {_route.Sources.Count} source(s)";
        Add("concurrency.needed", "stores in flight needed", needed, "requests", $"Little's law: objects a second x {_input.PutMilliseconds} ms (--put-latency-ms); {limit}: {(needed <= allowed ? "enough" : "TOO LITTLE")}");
        double most = Math.Min((double)allowed * _perObject, _route.Slots) / seconds;
        Add("rate.most", "most messages a second", most, "messages/s", _perObject == 1
            ? $"{allowed} in flight / {_input.PutMilliseconds} ms; the store or the processor may allow less"
            : $"{_route.Slots} messages in work (Intake:Concurrency) / {_input.PutMilliseconds} ms; the store or the processor may allow less");

        double bytes = (double)_route.Intake.Concurrency * _input.MessageBytes;
        Add("bytes.inflight", "bytes in flight, all slots full", bytes, "bytes", bytes <= _route.Intake.BytesInFlight
            ? $"Intake:Concurrency x --message-bytes, for each source; Intake:BytesInFlight ({_route.Intake.BytesInFlight:N0}) is not reached"
            : $"Intake:Concurrency x --message-bytes, for each source: above Intake:BytesInFlight ({_route.Intake.BytesInFlight:N0}), so receiving pauses from {_route.Intake.BytesInFlight / _input.MessageBytes:N0} messages in work on");
    }

    private void ExplainKill()
    {
        if (_route.Sqs is { } sqs)
        {
            double unacknowledged = Math.Ceiling(_input.Rate * sqs.AcknowledgeDelay.TotalSeconds);
            Add("kill.redelivered", "redelivered by a kill, at most", _route.Intake.Concurrency + unacknowledged, "messages", $"{_route.Intake.Concurrency} in work + {unacknowledged:N0} stored within AcknowledgeDelay and not yet deleted; their objects are found, none is lost");
        }

        if (_route.Channel is { } channel)
        {
            Add("kill.lost", "LOST by a kill, at most", channel.Capacity, "messages", "Sources:Channel:Capacity: the channel lives in this process");
        }

        if (_route.Sources.Contains("Http", StringComparer.OrdinalIgnoreCase))
        {
            Add("kill.unanswered", "HTTP messages without an answer after a kill", _route.Intake.Concurrency, "messages", "Intake:Concurrency; their callers send them again");
        }
    }

    private double Objects() => Math.Ceiling(_input.MessagesPerDay / (double)_perObject);

    private FormattableString DescribeObjects() => (_input.MessagesPerObject, _route.Bundles.Enabled) switch
    {
        ({ } given, _) => $"{given:N0} message(s) an object (--messages-per-object)",
        (null, true) => $"{_perObject:N0} messages a bundle at best: what comes within Bundles:MaxAge ({_route.Bundles.MaxAge.TotalSeconds:0.#} s), Bundles:MaxMessages ({_route.Bundles.MaxMessages:N0}) at most, all with one key prefix; more prefixes make smaller bundles (--messages-per-object)",
        _ => $"one message an object; Bundles:Enabled is false",
    };

    /// <summary>What a bundle can hold at this rate: bounded by its count, its age and the memory for all.</summary>
    private int BundleSize(BundlesOptions bundles)
    {
        double most = Math.Min(bundles.MaxMessages, Math.Min(_input.Rate * bundles.MaxAge.TotalSeconds, bundles.MemoryBudget / (double)_input.MessageBytes));
        return (int)Math.Max(1, most);
    }

    /// <summary>Calls that are in the sums.</summary>
    private void Call(string name, string title, double calls, long billed, double pricePerMillion, string because)
    {
        double usd = calls * billed * pricePerMillion / 1_000_000;
        _usdADay += usd;
        Add(name, title, calls, "calls/day", $"{because}; {calls * DaysAMonth:N0} a month, {Usd(usd)} a day");
    }

    /// <param name="savedADay">Requests a day times their price a million.</param>
    /// <param name="change">What to change.</param>
    private void Save(double savedADay, string change) => _savings.Add(new ExplainSaving(Math.Round(savedADay / 1_000_000 * DaysAMonth, 2), change));

    private void Add(string name, string title, double value, string unit, FormattableString because) => Add(name, title, value, unit, because.ToString(CultureInfo.InvariantCulture));

    private void Add(string name, string title, double value, string unit, string because) => _lines.Add(new ExplainLine(name, title, Math.Round(value, 4), unit, because));

    private static string Usd(double value) => string.Create(CultureInfo.InvariantCulture, $"${value:0.00##}");

    private static string Milliseconds(TimeSpan time) => string.Create(CultureInfo.InvariantCulture, $"{time.TotalMilliseconds:0} ms");
}
