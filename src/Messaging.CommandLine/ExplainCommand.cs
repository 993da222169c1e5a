using System.CommandLine;
using System.Globalization;
using System.Text.Json;
using System.Text.Json.Serialization;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Costs.Explain;
using Quayside.Messaging.Planning;

namespace Quayside.Messaging.CommandLine;

/// <summary><c>explain</c>: shows what the settings imply for a load: calls, costs, limits, and the effect of a kill.</summary>
internal static class ExplainCommand
{
    public static Command Create(CommandContext context)
    {
        Option<int?> messages = CountOption.Create("--messages-per-day", [], "Messages per day for each route, spread evenly", 2_000_000_000, 18_000_000);
        Option<int?> bytes = CountOption.Create("--message-bytes", [], "Bytes per message", 256 << 20, 1_024);
        Option<int?> bundle = CountOption.Create("--messages-per-object", [], "Messages per object; default: what the settings imply, 1 or a bundle", 1_000_000);
        Option<int?> latency = CountOption.Create("--put-latency-ms", [], "Assumed time to store an object, in milliseconds", 600_000, 50);
        Option<bool> json = new("--json") { Description = "Print JSON" };
        Command command = new("explain", "Show what the settings imply for a load: AWS calls and their estimated cost, concurrency, memory, and the effect of a kill; start nothing")
        {
            messages,
            bytes,
            bundle,
            latency,
            json,
        };
        command.SetAction(parsed => Run(
            context.Plan(context.ReadConfiguration(parsed)),
            new ExplainInput(parsed.GetValue(messages)!.Value, parsed.GetValue(bytes)!.Value, parsed.GetValue(bundle), parsed.GetValue(latency)!.Value),
            parsed.GetValue(json)));
        return command;
    }

    /// <exception cref="StartupException">A route would store no message of this load.</exception>
    public static Explanation Explain(WorkerPlan plan, ExplainInput input) => new(input, [.. plan.Routes.Select(route => route.Explain(input))]);

    private static int Run(WorkerPlan plan, ExplainInput input, bool json)
    {
        Explanation explanation = Explain(plan, input);
        if (json)
        {
            Console.Out.WriteLine(JsonSerializer.Serialize(explanation, ExplainJson.Default.Explanation));
            return ExitCodes.Success;
        }

        foreach (RouteExplanation route in explanation.Routes)
        {
            Write(route, input);
        }

        return ExitCodes.Success;
    }

    private static void Write(RouteExplanation route, ExplainInput input)
    {
        Console.Out.WriteLine(string.Create(CultureInfo.InvariantCulture, $"Route {route.Route}: {string.Join(", ", route.Sources)}{(route.Sink is null ? string.Empty : $" -> {route.Sink}")}; {input.MessagesPerDay:N0} messages per day of {input.MessageBytes:N0} bytes"));
        int title = route.Lines.Max(line => line.Title.Length);
        int value = route.Lines.Max(line => Text(line).Length);
        foreach (ExplainLine line in route.Lines)
        {
            Console.Out.WriteLine($"  {line.Title.PadRight(title)}  {Text(line).PadLeft(value)}  {line.Because}");
        }

        foreach (string note in route.Notes)
        {
            Console.Out.WriteLine($"  Note: {note}");
        }

        string label = "Largest saving";
        foreach (ExplainSaving saving in route.Savings)
        {
            Console.Out.WriteLine(string.Create(CultureInfo.InvariantCulture, $"  {label}: {(saving.AtMost ? "up to " : string.Empty)}${saving.UsdPerMonth:N2} per month: {saving.Change}"));
            label = "Next saving";
        }
    }

    private static string Text(ExplainLine line) => line switch
    {
        { Unit: "USD" } => string.Create(CultureInfo.InvariantCulture, $"${line.Value:N2}"),
        { Value: > 0 and < 1 } => string.Create(CultureInfo.InvariantCulture, $"{line.Value:0.00}"),
        _ => string.Create(CultureInfo.InvariantCulture, $"{line.Value:#,0.#}"),
    };
}

/// <summary>What the settings imply for a load, route by route.</summary>
internal sealed record Explanation(ExplainInput Input, IReadOnlyList<RouteExplanation> Routes);

[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, WriteIndented = true)]
[JsonSerializable(typeof(Explanation))]
internal sealed partial class ExplainJson : JsonSerializerContext;
