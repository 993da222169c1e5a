using System.Globalization;
using Messaging.Aws.Sqs;
using Messaging.Aws.Sqs.Wire;
using Messaging.Hosting;
using Messaging.Sinks.Bundles;

namespace Messaging.Costs.Explain;

/// <summary>Derives calls, costs and limits of one route from its settings. Every figure says how; none is measured.</summary>
internal sealed class RouteExplainer
{
    private const int DaysAMonth = 30;
    private const string CallsADay = "calls/day";

    private readonly RouteSettings _route;
    private readonly ExplainInput _input;
    private readonly List<ExplainLine> _lines = [];
    private readonly List<string> _notes = [];
    private readonly List<ExplainSaving> _savings = [];
    private readonly BundleLoad _bundle;
    private readonly int _perObject;
    private double _usdADay;

    private RouteExplainer(RouteSettings route, ExplainInput input)
    {
        _route = route;
        _input = input;
        _bundle = new BundleLoad(route.Bundles, input);
        _perObject = input.MessagesPerObject ?? (route.Bundles.Enabled ? _bundle.Size : 1);
    }

    /// <summary>Explains a route.</summary>
    /// <exception cref="StartupException">The route would store no message of this load.</exception>
    public static RouteExplanation Explain(RouteSettings route, ExplainInput input)
    {
        if (input.MessageBytes > route.Stages.MaxMessageBytes)
        {
            throw new StartupException(
                string.Create(CultureInfo.InvariantCulture, $"--message-bytes {input.MessageBytes:N0} is above Stages:MaxMessageBytes ({route.Stages.MaxMessageBytes:N0}): route '{route.Name}' would dead-letter every message as too-large. Raise Stages:MaxMessageBytes, or give fewer bytes."),
                ExitCodes.Usage);
        }

        RouteExplainer explainer = new(route, input);
        explainer.Run();
        return new RouteExplanation(route.Name, route.Sources, route.Sink, explainer._lines, explainer._notes, [.. explainer._savings.Where(saving => saving.UsdPerMonth > 0).OrderByDescending(saving => saving.UsdPerMonth)]);
    }

    private void Run()
    {
        Add("rate", "messages a second", _input.Rate, "messages/s", $"{_input.MessagesPerDay:N0} a day, spread evenly over 86,400 s");
        if (!_route.ReadsLogs)
        {
            Add("objects.day", "objects a day", Objects(), "objects/day", DescribeObjects());
        }

        if (_route.Sqs is { } sqs)
        {
            ExplainSqs(sqs);
        }

        if (_route.S3 is not null)
        {
            ExplainS3();
        }

        if (_route.ReadsLogs)
        {
            Call("s3.get", "S3 GetObject", _input.MessagesPerDay, 1, _route.Costs.S3GetPerMillion, "one a message: S3 makes an event of each object; retries come on top");
        }

        ExplainCost();
        if (!_route.ReadsLogs)
        {
            ExplainLimits();
        }

        ExplainKill();
        Note();
    }

    private void ExplainSqs(SqsSourceOptions sqs)
    {
        bool fifo = IsFifo(sqs);
        double price = SqsPrice(sqs);
        const int Full = SqsLimits.BatchEntries;
        int concurrency = _route.Intake.Concurrency;

        PollLoad polls = new(sqs, concurrency, _input);
        long chunks = ApiCalls.ChunksOf((long)Full * _input.MessageBytes);
        Call("sqs.receive", "SQS ReceiveMessage, at best", _input.MessagesPerDay / (double)Full, chunks, price, $"full batches of {Full}, billed as {chunks:N0} request(s) each (64 KiB of payload a request)");
        string worst = polls.IsMostlyIdle ? "the polls of an empty queue, which are more than messages" : "one message a call, where messages trickle in while a poll waits";
        Add("sqs.receive.worst", "SQS ReceiveMessage, at worst", polls.AtWorst, CallsADay, $"{worst}: {Usd(polls.BilledAtWorst * price / 1_000_000)} a day instead");

        double gathered = 1 + (_input.Rate * sqs.AcknowledgeDelay.TotalSeconds);
        int ofOneBundle = _route.Bundles.Enabled ? _perObject : 1;
        double together = Math.Min(Full, Math.Max(gathered, ofOneBundle));
        Call("sqs.delete", "SQS DeleteMessageBatch", _input.MessagesPerDay / together, 1, price, ofOneBundle > gathered
            ? $"{together:0.#} deletes a call: the messages of a bundle are acknowledged together, {Full} a call at most"
            : $"{together:0.#} deletes a call: what gathers within Sources:Sqs:AcknowledgeDelay ({Milliseconds(sqs.AcknowledgeDelay)}), {Full} at most");
        if (together < Full)
        {
            TimeSpan needed = TimeSpan.FromSeconds(Math.Min((Full - 1) / _input.Rate, 5));
            double then = Math.Min(Full, 1 + (_input.Rate * needed.TotalSeconds));
            Save(_input.MessagesPerDay * ((1 / together) - (1 / then)) * price, $"Sources:Sqs:AcknowledgeDelay={Math.Ceiling(needed.TotalMilliseconds):0}ms: {then:0.#} deletes a call; a kill redelivers what waits that long");
        }

        Add("sqs.loops", "receive loops", SqsMessageSource.LoopsFor(concurrency), "loops", $"one for {Full} of Intake:Concurrency ({concurrency:N0}); {polls.AtOnce:N0} of them poll an empty queue at once, since each reserves its slots first");
        Add("sqs.idle", "SQS polls of an empty queue", polls.Idle, CallsADay, $"{polls.AtOnce:N0} polls of {polls.Seconds:0.#} s each (Sources:Sqs:WaitTime) on a day without any message: {Usd(polls.Idle * price / 1_000_000)}, not in the sums below");
        if (sqs.WaitTime < TimeSpan.FromSeconds(SqsLimits.WaitSeconds))
        {
            Save((polls.Idle - (polls.AtOnce * ExplainInput.SecondsADay / SqsLimits.WaitSeconds)) * price, $"Sources:Sqs:WaitTime={SqsLimits.WaitSeconds}s, as far as the queue is empty: long polls answer as soon as a message comes", atMost: true);
        }

        ExplainHeartbeats(sqs, price);
        if (fifo)
        {
            Save((_input.MessagesPerDay / (double)Full * chunks + (_input.MessagesPerDay / together)) * (price - _route.Costs.SqsStandardPerMillion), "a standard queue instead of FIFO, where order does not matter");
        }
    }

    private void ExplainHeartbeats(SqsSourceOptions sqs, double price)
    {
        const string Name = "sqs.heartbeats";
        const string Title = "SQS ChangeMessageVisibilityBatch";
        double beat = sqs.VisibilityTimeout.TotalSeconds / 2;
        double renewals = _route.Bundles.Enabled ? _bundle.RenewalsPerMessage(beat, sqs.MaxHoldTime.TotalSeconds) : 0;
        if (renewals > 0)
        {
            Call(Name, Title, _input.MessagesPerDay * renewals / SqsLimits.BatchEntries, 1, price, string.Create(CultureInfo.InvariantCulture, $"a bundle fills for {_bundle.FillSeconds:0.#} s, and a message that waits is renewed every {beat:0} s (half of Sources:Sqs:VisibilityTimeout): {renewals:0.##} times on average, {SqsLimits.BatchEntries} a call"));
            return;
        }

        int concurrency = _route.Intake.Concurrency;
        Add(Name, Title, 0, CallsADay, $"a message settled within {beat:0} s (half of Sources:Sqs:VisibilityTimeout) needs no heartbeat; a sink that hangs with all {concurrency:N0} slots in use needs {SqsMessageSource.LoopsFor(concurrency):N0} calls every {beat:0} s");
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

        if (_perObject < _bundle.Size)
        {
            SaveByBundles(puts);
        }
    }

    private void SaveByBundles(double puts)
    {
        int slots = BundlePlanner.LeastConcurrency(_route.Bundles);
        int concurrency = Math.Max(slots, _route.Intake.Concurrency);
        double saved = (puts - (_input.MessagesPerDay / (double)_bundle.Size)) * _route.Costs.S3PutPerMillion;
        if (_route.Sqs is { } sqs)
        {
            // More slots are more receive loops, which poll when there is little to receive.
            saved -= (new PollLoad(sqs, concurrency, _input).BilledAtWorst - new PollLoad(sqs, _route.Intake.Concurrency, _input).BilledAtWorst) * SqsPrice(sqs);
        }

        string change = (_route.Bundles.Enabled, _route.Intake.Concurrency < slots) switch
        {
            (true, _) => "fewer key prefixes at a time",
            (_, true) => $"Bundles:Enabled=true with Intake:Concurrency={slots}",
            _ => "Bundles:Enabled=true",
        };
        Save(saved, string.Create(CultureInfo.InvariantCulture, $"{change}: {_bundle.Size:N0} messages an object instead of {_perObject:N0}, where they have one key prefix (with --messages-per-object you see your own figure); each waits up to {_route.Bundles.MaxAge.TotalSeconds:0.#} s longer"), atMost: true);
    }

    private void ExplainCost()
    {
        if (_route.Sqs is null && _route.S3 is null && !_route.ReadsLogs)
        {
            Add("cost.day", "estimated cost a day", 0, "USD", _route.ServiceBus is null
                ? $"no calls of AWS: {string.Join(", ", _route.Sources)} and {_route.Sink} need no service"
                : "no calls of AWS; what Azure charges for Service Bus is not in the estimate");
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
        string slots = $"Intake:Concurrency allows {_route.Intake.Concurrency} for each of {_route.Sources.Count} source(s)";
        string limit = _route.S3?.MaxConcurrency is { } max && max < _route.Slots ? $"Sinks:S3:MaxConcurrency allows {max}" : slots;
        Add("concurrency.needed", "stores in flight needed", needed, "requests", $"Little's law: objects a second x {_input.PutMilliseconds} ms (--put-latency-ms); {limit}: {(needed <= allowed ? "enough" : "TOO LITTLE")}");
        if (_route.Bundles.Enabled)
        {
            double held = _input.Rate * (_bundle.FillSeconds + seconds);
            Add("slots.needed", "slots held while bundles fill", held, "messages", $"messages a second x ({_bundle.FillSeconds:0.##} s that a bundle fills + {_input.PutMilliseconds} ms); {slots}: {(held <= _route.Slots ? "enough" : "TOO LITTLE, so bundles are closed earlier and are smaller")}");
        }

        ExplainMost(allowed, limit, seconds);

        double bytes = (double)_route.Slots * _input.MessageBytes;
        double ofASource = (double)_route.Intake.Concurrency * _input.MessageBytes;
        string how = $"Intake:Concurrency x {_route.Sources.Count} source(s) x --message-bytes";
        Add("bytes.inflight", "bytes in flight, all slots full", bytes, "bytes", ofASource <= _route.Intake.BytesInFlight
            ? $"{how}; Intake:BytesInFlight ({_route.Intake.BytesInFlight:N0} for each source) is not reached"
            : $"{how}; above Intake:BytesInFlight ({_route.Intake.BytesInFlight:N0} for each source), so a source pauses receiving from {_route.Intake.BytesInFlight / _input.MessageBytes:N0} messages in work on");
    }

    private void ExplainMost(int stores, string limit, double seconds)
    {
        // Up to half of the slots wait in bundles; the other half is being stored meanwhile.
        double slots = _route.Bundles.Enabled ? _route.Slots / 2.0 : _route.Slots;
        double ofStores = (double)stores * _perObject;
        string because = (ofStores < slots, _route.Bundles.Enabled) switch
        {
            (true, _) => $"{limit}, x {_perObject} message(s) an object",
            (_, true) => $"{_route.Slots} slots (Intake:Concurrency x sources), of which half waits in bundles",
            _ => $"{_route.Slots} slots (Intake:Concurrency x sources)",
        };
        Add("rate.most", "most messages a second", Math.Min(ofStores, slots) / seconds, "messages/s", $"{because}; / {_input.PutMilliseconds} ms; the store or the processor may allow less");
    }

    private void ExplainKill()
    {
        if (_route.Sqs is { } sqs)
        {
            double unacknowledged = Math.Ceiling(_input.Rate * sqs.AcknowledgeDelay.TotalSeconds);
            string then = _route.ReadsLogs ? "documents that are there are found by their ids, none is lost" : "their objects are found, none is lost";
            if (_route.Bundles.Enabled)
            {
                unacknowledged = Math.Max(unacknowledged, _perObject);
                then = "none is lost; in other company they may be stored a second time: readers drop known ids";
            }

            Add("kill.redelivered", "redelivered by a kill, at most", _route.Intake.Concurrency + unacknowledged, "messages", $"{_route.Intake.Concurrency:N0} in work + {unacknowledged:N0} stored and not yet deleted (Sources:Sqs:AcknowledgeDelay); {then}");
        }

        if (_route.ServiceBus is { } bus)
        {
            int calls = bus.MaxConcurrentCalls ?? _route.Intake.Concurrency;
            Add("kill.redelivered.servicebus", "redelivered by a kill, at most", calls + bus.PrefetchCount, "messages", $"{calls:N0} calls + {bus.PrefetchCount:N0} fetched ahead, when their locks end; none is lost, but each counts as a delivery");
        }

        if (_route.Channel is { } channel)
        {
            Add("kill.lost", "LOST by a kill, at most", channel.Capacity, "messages", "Sources:Channel:Capacity: the channel lives in this process");
        }

        if (Has("Udp"))
        {
            Add("kill.lost.udp", "LOST by a kill, at least", _route.Intake.Concurrency, "messages", "Intake:Concurrency in work, and what the kernel's buffer, the source's channel and other attempts hold; nobody sends a datagram again");
        }

        if (Has("TcpLines"))
        {
            Add("kill.lost.tcp", "lines in work at a kill", _route.Intake.Concurrency, "messages", "Intake:Concurrency; with Sources:TcpLines:Acknowledge their senders got no answer and send them again, without it they are LOST, with up to 128 KiB read ahead a connection");
        }

        if (Has("Http"))
        {
            Add("kill.unanswered", "HTTP messages without an answer after a kill", _route.Intake.Concurrency, "messages", "Intake:Concurrency; their callers send them again");
        }
    }

    private bool Has(string source) => _route.Sources.Contains(source, StringComparer.OrdinalIgnoreCase);

    private double Objects() => Math.Ceiling(_input.MessagesPerDay / (double)_perObject);

    private FormattableString DescribeObjects() => (_input.MessagesPerObject, _route.Bundles.Enabled) switch
    {
        ({ } given, _) => $"{given:N0} message(s) an object (--messages-per-object)",
        (null, true) => $"{_perObject:N0} messages a bundle at best: what comes within Bundles:MaxAge ({_route.Bundles.MaxAge.TotalSeconds:0.#} s), Bundles:MaxMessages ({_route.Bundles.MaxMessages:N0}) at most, all with one key prefix; more prefixes make smaller bundles (--messages-per-object)",
        _ => $"one message an object; Bundles:Enabled is false",
    };

    private void Note()
    {
        if (_route.ReadsLogs)
        {
            _notes.Add("The rows of a log are not known here: documents, requests to the sink, concurrency, memory and transfer are not estimated (docs/cloudfront.md says what a log takes).");
        }

        if (_route.Bundles.Enabled && _input.MessagesPerObject > _route.Bundles.MaxMessages)
        {
            _notes.Add(string.Create(CultureInfo.InvariantCulture, $"--messages-per-object {_input.MessagesPerObject:N0} is above Bundles:MaxMessages ({_route.Bundles.MaxMessages:N0}): no bundle will hold so many."));
        }
        else if (!_route.Bundles.Enabled && _input.MessagesPerObject > 1)
        {
            _notes.Add(string.Create(CultureInfo.InvariantCulture, $"--messages-per-object {_input.MessagesPerObject:N0}, but Bundles:Enabled is false: this route stores one message an object."));
        }

        if (_route.S3?.StorageClass is { } storageClass and not "STANDARD" && _route.Costs.S3PutPerMillion.Equals(new CostOptions().S3PutPerMillion))
        {
            _notes.Add($"Sinks:S3:StorageClass is {storageClass}, and the price of a PUT is STANDARD's: set Costs:S3PutPerMillion.");
        }
    }

    private double SqsPrice(SqsSourceOptions sqs) => IsFifo(sqs) ? _route.Costs.SqsFifoPerMillion : _route.Costs.SqsStandardPerMillion;

    private static bool IsFifo(SqsSourceOptions sqs) => SqsQueueReference.Parse(sqs.Queue!)!.IsFifo;

    /// <summary>Calls that are in the sums.</summary>
    private void Call(string name, string title, double calls, long billed, double pricePerMillion, string because)
    {
        double usd = calls * billed * pricePerMillion / 1_000_000;
        _usdADay += usd;
        Add(name, title, calls, CallsADay, $"{because}; {calls * DaysAMonth:N0} a month, {Usd(usd)} a day");
    }

    /// <param name="savedADay">Requests a day times their price a million.</param>
    /// <param name="change">What to change.</param>
    /// <param name="atMost">True when that much is reached under a condition alone.</param>
    private void Save(double savedADay, string change, bool atMost = false) => _savings.Add(new ExplainSaving(Math.Round(savedADay / 1_000_000 * DaysAMonth, 2), atMost, change));

    private void Add(string name, string title, double value, string unit, FormattableString because) => Add(name, title, value, unit, because.ToString(CultureInfo.InvariantCulture));

    private void Add(string name, string title, double value, string unit, string because) => _lines.Add(new ExplainLine(name, title, Math.Round(value, 4), unit, because));

    private static string Usd(double value) => string.Create(CultureInfo.InvariantCulture, $"${value:#,0.00##}");

    private static string Milliseconds(TimeSpan time) => string.Create(CultureInfo.InvariantCulture, $"{time.TotalMilliseconds:0} ms");
}
