using System.Globalization;
using System.Text.Json.Serialization;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Costs.Explain;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Sinks.Bundles;
using static System.FormattableString;

namespace Quayside.Messaging.Planning;

/// <summary>
/// Derives calls, costs and limits of one route from its plan. Figures that follow from the worker's own settings are derived here;
/// sources, handler and sink add those that follow from theirs. Every figure says how it was derived; none is measured.
/// </summary>
internal sealed class RouteExplainer
{
    private readonly RoutePlan _route;
    private readonly ExplainInput _input;
    private readonly BundleLoad _bundle;
    private readonly RouteLoad _load;
    private readonly RouteEstimate _estimate = new();

    private RouteExplainer(RoutePlan route, ExplainInput input)
    {
        _route = route;
        _input = input;
        _bundle = new BundleLoad(route.Bundles, input);
        _load = new RouteLoad
        {
            MessagesPerDay = input.MessagesPerDay,
            MessageBytes = input.MessageBytes,
            Concurrency = route.Sources.Max(source => route.SlotsOf(source).Max),
            ConcurrencyAtRest = route.Sources.Min(source => route.SlotsOf(source).Start),
            Results = route.Sink?.Kind ?? SinkKind.None,
            IsBundled = route.IsBundled,
            MessagesPerObject = input.MessagesPerObject ?? (route.IsBundled ? _bundle.Size : 1),
            BundleWait = TimeSpan.FromSeconds(_bundle.FillSeconds),
        };
    }

    private bool StoresObjects => _route.Sink is not null && !_route.Handler.ReadsObjects;

    /// <summary>Explains a route.</summary>
    /// <exception cref="StartupException">The route would store no message of this load.</exception>
    public static RouteExplanation Explain(RoutePlan route, ExplainInput input)
    {
        if (input.MessageBytes > route.Stages.MaxMessageBytes)
        {
            throw new StartupException(
                Invariant($"--message-bytes {input.MessageBytes:N0} is above Stages:MaxMessageBytes ({route.Stages.MaxMessageBytes:N0}): route '{route.Name}' would dead-letter every message as too-large. Raise Stages:MaxMessageBytes, or lower --message-bytes."),
                ExitCodes.Usage);
        }

        RouteExplainer explainer = new(route, input);
        explainer.Run();
        RouteEstimate estimate = explainer._estimate;
        return new RouteExplanation(route.Name, [.. route.Sources.Select(source => source.Name)], route.Sink?.Name, estimate.Lines, estimate.Notes, estimate.Savings);
    }

    private void Run()
    {
        Add("rate", "messages per second", _load.Rate, "messages/s", $"{_load.MessagesPerDay:N0} per day, spread evenly over 86,400 s");
        if (StoresObjects)
        {
            Add("objects.day", "objects per day", _load.ObjectsPerDay, "objects/day", DescribeObjects());
        }

        foreach (IRouteExplainer? source in _route.Explainers.Sources)
        {
            source?.ExplainCalls(_load, _estimate);
        }

        _route.Explainers.Handler?.ExplainCalls(_load, _estimate);
        NoteBundles();
        _route.Explainers.Sink?.ExplainCalls(_load, _estimate);
        SaveByBundles();
        FindSilent();
        ExplainCost();
        if (StoresObjects)
        {
            ExplainStores();
        }

        if (!_route.Handler.ReadsObjects)
        {
            ExplainBytes();
        }

        foreach (IRouteExplainer? source in _route.Explainers.Sources)
        {
            source?.ExplainKill(_load, _estimate);
        }

        _route.Explainers.Handler?.ExplainKill(_load, _estimate);
        _route.Explainers.Sink?.ExplainKill(_load, _estimate);
    }

    private void SaveByBundles()
    {
        if (_route.Explainers.Sink is not { PricePerMillionObjects: > 0 } sink || _load.MessagesPerObject >= _bundle.Size)
        {
            return;
        }

        int slots = BundlePlanner.MinConcurrency(_route.Bundles);
        double objects = _load.ObjectsPerDay - (_load.MessagesPerDay / (double)_bundle.Size);

        // Bundles use all slots also when there is little to receive, and so poll more.
        int concurrency = Math.Max(slots, _load.Concurrency);
        RouteLoad more = _load with { Concurrency = concurrency, ConcurrencyAtRest = concurrency };
        double polls = _route.Explainers.Sources.Sum(source => source is null ? 0 : source.ReceiveUsdPerDay(more) - source.ReceiveUsdPerDay(_load));
        string change = (_load.IsBundled, _load.Concurrency < slots) switch
        {
            (true, _) => "fewer key prefixes at a time",
            (_, true) => $"Bundles:Enabled=true with Intake:Concurrency={slots}",
            _ => "Bundles:Enabled=true",
        };
        _estimate.Save(
            (objects * sink.PricePerMillionObjects / 1_000_000) - polls,
            Invariant($"{change}: {_bundle.Size:N0} messages per object instead of {_load.MessagesPerObject:N0}, if they share one key prefix (--messages-per-object shows the figure for yours); each waits up to {_route.Bundles.MaxAge.TotalSeconds:0.#} s longer"),
            atMost: true);
    }

    private void FindSilent()
    {
        (string Name, IRouteExplainer? Explainer)[] parts =
            [.. _route.Sources.Select((source, index) => (source.Name, _route.Explainers.Sources[index])), (_route.Handler.Name, _route.Explainers.Handler)];
        if (_route.Sink is { } sink)
        {
            parts = [.. parts, (sink.Name, _route.Explainers.Sink)];
        }

        string[] silent = [.. parts.Where(part => part.Explainer is null).Select(part => part.Name)];
        if (silent.Length > 0)
        {
            string names = string.Join(", ", silent);
            _estimate.Exclude($"the calls of {names} are not in the estimate");
            _estimate.Note($"The calls of {names} are not in the estimate.");
        }
    }

    private void ExplainCost()
    {
        if (!_estimate.HasCalls)
        {
            _estimate.Add("cost.day", "estimated cost per day", 0, "USD", _estimate.Excluded.Count == 0
                ? $"no calls to AWS: {string.Join(", ", _route.Sources.Select(source => source.Name))} and {_route.Sink?.Name ?? _route.Handler.Name} need no service"
                : $"no calls to AWS; {string.Join("; ", _estimate.Excluded)}");
            return;
        }

        double usd = _estimate.UsdPerDay;
        _estimate.Add("cost.day", "estimated cost per day", usd, "USD", "the calls above at best, at the prices of the section Costs; without storage, transfer and free tiers");
        Add("cost.month", "estimated cost per month", usd * RouteEstimate.DaysPerMonth, "USD", $"{RouteEstimate.DaysPerMonth} days");
        _estimate.Add("cost.million", "estimated cost per million messages", usd / _load.MessagesPerDay * 1_000_000, "USD", "cost per day divided by messages per day");
    }

    private void ExplainStores()
    {
        double seconds = _input.PutMilliseconds / 1_000.0;
        double needed = _load.Rate / _load.MessagesPerObject * seconds;
        int allowed = Math.Min(_route.Slots, _route.Sink?.MaxConcurrency?.Value ?? int.MaxValue);
        string slots = Invariant($"Intake:Concurrency allows {_load.Concurrency:N0} for each of {_route.Sources.Count} source(s)");
        string limit = _route.Sink?.MaxConcurrency is { } max && max.Value < _route.Slots ? $"{max.Key} allows {max.Value}" : slots;
        Add("concurrency.needed", "stores in flight needed", needed, "requests", $"Little's law: objects per second x {_input.PutMilliseconds} ms (--put-latency-ms); {limit}: {(needed <= allowed ? "enough" : "NOT ENOUGH")}");
        if (_load.ConcurrencyAtRest < _load.Concurrency)
        {
            double expected = _load.ConcurrencyAtRest;
            while (expected < needed * _load.MessagesPerObject && expected < _load.Concurrency)
            {
                expected = Math.Min(2 * expected, _load.Concurrency);
            }

            Add("slots.expected", "slots in use, expected", expected, "messages", $"{_load.ConcurrencyAtRest:N0} at first, doubled while that raises the throughput; at most Intake:Concurrency ({_load.Concurrency:N0})");
        }

        if (_load.IsBundled)
        {
            double held = _load.Rate * (_bundle.FillSeconds + seconds);
            Add("slots.needed", "slots held while bundles fill", held, "messages", $"messages per second x ({_bundle.FillSeconds:0.##} s to fill a bundle + {_input.PutMilliseconds} ms); {slots}: {(held <= _route.Slots ? "enough" : "NOT ENOUGH, so bundles are closed earlier and are smaller")}");
        }

        ExplainMaxRate(allowed, limit, seconds);
    }

    private void ExplainBytes()
    {
        double bytes = (double)_route.Slots * _load.MessageBytes;
        double ofASource = (double)_load.Concurrency * _load.MessageBytes;
        string how = $"Intake:Concurrency x {_route.Sources.Count} source(s) x --message-bytes";
        Add("bytes.inflight", "bytes in flight, all slots full", bytes, "bytes", ofASource <= _route.Intake.BytesInFlight
            ? (FormattableString)$"{how}; Intake:BytesInFlight ({_route.Intake.BytesInFlight:N0} for each source) is not reached"
            : $"{how}; above Intake:BytesInFlight ({_route.Intake.BytesInFlight:N0} for each source), so a source pauses receiving at {_route.Intake.BytesInFlight / _load.MessageBytes:N0} messages in flight");

        // Above the cap a source still receives into the slots that it was granted before, so the slots are the bound.
        Add("memory.buffers", "memory for message buffers, at most", 2 * bytes, "bytes", $"bytes in flight x 2: a buffer's size is a power of two; pools keep the buffers for the next messages, and are trimmed when memory is short; text that a source escapes, as SQS does, takes more; the process itself is not included");
    }

    private void ExplainMaxRate(int stores, string limit, double seconds)
    {
        // Up to half of the slots wait in bundles; the other half is being stored meanwhile.
        double slots = _load.IsBundled ? _route.Slots / 2.0 : _route.Slots;
        double ofStores = (double)stores * _load.MessagesPerObject;
        string because = (ofStores < slots, _load.IsBundled) switch
        {
            (true, _) => $"{limit}, x {_load.MessagesPerObject} message(s) per object",
            (_, true) => Invariant($"{_route.Slots:N0} slots (Intake:Concurrency x sources), half of which wait in bundles"),
            _ => Invariant($"{_route.Slots:N0} slots (Intake:Concurrency x sources)"),
        };
        Add("rate.most", "maximum messages per second", Math.Min(ofStores, slots) / seconds, "messages/s", $"{because}; / {_input.PutMilliseconds} ms; the sink or the processor may allow less");
    }

    private FormattableString DescribeObjects() => (_input.MessagesPerObject, _load.IsBundled) switch
    {
        ({ } given, _) => $"{given:N0} message(s) per object (--messages-per-object)",
        (null, true) => $"{_load.MessagesPerObject:N0} messages per bundle at best: those that arrive within Bundles:MaxAge ({_route.Bundles.MaxAge.TotalSeconds:0.#} s), at most Bundles:MaxMessages ({_route.Bundles.MaxMessages:N0}), all with one key prefix; more prefixes make smaller bundles (--messages-per-object)",
        _ => $"one message per object; Bundles:Enabled is false",
    };

    private void NoteBundles()
    {
        if (_load.IsBundled && _input.MessagesPerObject > _route.Bundles.MaxMessages)
        {
            _estimate.Note(Invariant($"--messages-per-object {_input.MessagesPerObject:N0} is above Bundles:MaxMessages ({_route.Bundles.MaxMessages:N0}): no bundle will hold that many."));
        }
        else if (!_load.IsBundled && _input.MessagesPerObject > 1)
        {
            _estimate.Note(Invariant($"--messages-per-object {_input.MessagesPerObject:N0}, but Bundles:Enabled is false: this route stores one message per object."));
        }
    }

    private void Add(string name, string title, double value, string unit, FormattableString because) => _estimate.Add(name, title, value, unit, because.ToString(CultureInfo.InvariantCulture));
}

/// <summary>How many messages a bundle holds under a load, and how long they wait in it.</summary>
internal sealed class BundleLoad
{
    public BundleLoad(BundlesOptions bundles, ExplainInput input)
    {
        double most = Math.Min(bundles.MaxMessages, Math.Min(input.Rate * bundles.MaxAge.TotalSeconds, bundles.MemoryBudget / (double)input.MessageBytes));
        Size = (int)Math.Max(1, most);

        // Fewer messages than the load would bring to one bundle means many open bundles, closed only by their age.
        double given = input.MessagesPerObject ?? Size;
        FillSeconds = given < Size ? bundles.MaxAge.TotalSeconds : Math.Min(bundles.MaxAge.TotalSeconds, bundles.MaxMessages / input.Rate);
    }

    /// <summary>Messages per bundle at best: bounded by count, age and the memory budget of all bundles.</summary>
    public int Size { get; }

    /// <summary>How long a bundle's first message waits.</summary>
    public double FillSeconds { get; }
}

/// <summary>What the settings of one route imply.</summary>
/// <param name="Route">The route's name.</param>
/// <param name="Sources">Where it receives from.</param>
/// <param name="Sink">Where it stores; null where its handler writes to no sink.</param>
/// <param name="Lines">The figures.</param>
/// <param name="Notes">Where load and settings do not fit together, or where a price may differ.</param>
/// <param name="Savings">Changes that would lower the bill, the largest saving first.</param>
public sealed record RouteExplanation(string Route, IReadOnlyList<string> Sources, [property: JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)] string? Sink, IReadOnlyList<ExplainLine> Lines, IReadOnlyList<string> Notes, IReadOnlyList<ExplainSaving> Savings);

/// <summary>The load to explain the settings for.</summary>
/// <param name="MessagesPerDay">Messages per day for each route, spread evenly.</param>
/// <param name="MessageBytes">Bytes of a body.</param>
/// <param name="MessagesPerObject">Messages that one object holds; null to derive it from the settings.</param>
/// <param name="PutMilliseconds">The assumed time to store an object, in milliseconds.</param>
public sealed record ExplainInput(long MessagesPerDay, int MessageBytes, int? MessagesPerObject, int PutMilliseconds)
{
    /// <summary>Messages per second.</summary>
    public double Rate => MessagesPerDay / RouteLoad.SecondsPerDay;
}
