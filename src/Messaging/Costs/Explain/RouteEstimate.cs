using System.Globalization;

namespace Quayside.Messaging.Costs.Explain;

/// <summary>
/// Collects what <c>explain</c> shows of one route. Texts are English, with numbers in the invariant culture. A name, such as
/// <c>sqs.receive</c>, identifies a figure to scripts and does not change between versions. Threads: one.
/// </summary>
public sealed class RouteEstimate
{
    /// <summary>The unit of calls.</summary>
    public const string CallsPerDay = "calls/day";

    /// <summary>Days per month, for figures per month.</summary>
    public const int DaysPerMonth = 30;

    private readonly List<ExplainLine> _lines = [];
    private readonly List<string> _notes = [];
    private readonly List<ExplainSaving> _savings = [];
    private readonly List<string> _excluded = [];

    internal RouteEstimate()
    {
    }

    internal IReadOnlyList<ExplainLine> Lines => _lines;

    internal IReadOnlyList<string> Notes => _notes;

    /// <summary>The largest first.</summary>
    internal IReadOnlyList<ExplainSaving> Savings => [.. _savings.Where(saving => saving.UsdPerMonth > 0).OrderByDescending(saving => saving.UsdPerMonth)];

    internal IReadOnlyList<string> Excluded => _excluded;

    internal bool HasCalls { get; private set; }

    internal double UsdPerDay { get; private set; }

    /// <summary>An amount as the texts show it, such as <c>$0.0104</c>.</summary>
    public static string Usd(double value) => string.Create(CultureInfo.InvariantCulture, $"${value:#,0.00##}");

    /// <summary>Adds calls that count towards the totals.</summary>
    /// <param name="name">For scripts.</param>
    /// <param name="title">Service and operation.</param>
    /// <param name="calls">Calls per day.</param>
    /// <param name="billed">Requests that each call is billed as.</param>
    /// <param name="pricePerMillion">USD per million requests.</param>
    /// <param name="because">How the figure follows, and from which settings.</param>
    public void Call(string name, string title, double calls, long billed, double pricePerMillion, string because)
    {
        double usd = calls * billed * pricePerMillion / 1_000_000;
        HasCalls = true;
        UsdPerDay += usd;
        Add(name, title, calls, CallsPerDay, string.Create(CultureInfo.InvariantCulture, $"{because}; {calls * DaysPerMonth:N0} per month, {Usd(usd)} per day"));
    }

    /// <summary>Adds a figure that does not count towards the totals.</summary>
    /// <param name="name">For scripts.</param>
    /// <param name="title">For people.</param>
    /// <param name="value">The figure; rounded to four places.</param>
    /// <param name="unit">Its unit.</param>
    /// <param name="because">How the figure follows, and from which settings.</param>
    public void Add(string name, string title, double value, string unit, string because) => _lines.Add(new ExplainLine(name, title, Math.Round(value, 4), unit, because));

    /// <summary>Adds a change that would lower the bill; shown only when it does.</summary>
    /// <param name="usdPerDay">USD saved per day.</param>
    /// <param name="change">What to change, and its drawbacks.</param>
    /// <param name="atMost">True when the saving is reached only under a condition that the change names.</param>
    public void Save(double usdPerDay, string change, bool atMost = false) => _savings.Add(new ExplainSaving(Math.Round(usdPerDay * DaysPerMonth, 2), atMost, change));

    /// <summary>Adds a sentence: where load and settings do not fit together, or where a price may differ.</summary>
    public void Note(string text) => _notes.Add(text);

    /// <summary>Names a cost that the estimate leaves out; shown when the estimate has no calls.</summary>
    /// <param name="what">A main clause without a full stop, such as <c>what Azure charges for Service Bus is not in the estimate</c>.</param>
    public void Exclude(string what) => _excluded.Add(what);
}

/// <summary>One figure that follows from the settings.</summary>
/// <param name="Name">For scripts; does not change between versions.</param>
/// <param name="Title">For people.</param>
/// <param name="Value">The figure.</param>
/// <param name="Unit">The figure's unit.</param>
/// <param name="Because">How it follows, and from which settings.</param>
public sealed record ExplainLine(string Name, string Title, double Value, string Unit, string Because);

/// <summary>A change that would lower the bill.</summary>
/// <param name="UsdPerMonth">USD saved per month.</param>
/// <param name="AtMost">True when the saving is reached only under a condition that the change names.</param>
/// <param name="Change">What to change, and its drawbacks.</param>
public sealed record ExplainSaving(double UsdPerMonth, bool AtMost, string Change);
