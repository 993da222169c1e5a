using System.CommandLine;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Planning;
using Quayside.Messaging.Sources;
using static System.FormattableString;

namespace Quayside.Messaging.CommandLine;

/// <summary><c>explain</c>: what the plan of each route says of concurrency, memory, calls per message, and the effect of a kill.</summary>
internal static class ExplainCommand
{
    public static Command Create(CommandContext context)
    {
        Command command = new("explain", "Show what the settings imply: concurrency, memory, calls per message, and the effect of a kill; start nothing");
        command.SetAction(parsed =>
        {
            foreach (RoutePlan route in context.Plan(context.ReadConfiguration(parsed)).Routes)
            {
                Write(route, Console.Out);
            }

            return ExitCodes.Success;
        });
        return command;
    }

    /// <summary>Writes the facts of one route.</summary>
    public static void Write(RoutePlan route, TextWriter output)
    {
        output.WriteLine($"Route {route.Name}: {route.DescribeParts()}");
        long bytes = 0;
        foreach (SourcePlan source in route.Sources)
        {
            int most = route.MaxInFlight(source);
            bytes += most * route.MaxMessageBytes;
            Fact($"{source.Name}, in flight", Invariant($"at most {most:N0} messages"));
            Fact($"{source.Name}, calls", CallsOf(source));
            Fact($"{source.Name}, a kill", KillOf(source, most));
        }

        string pauses = Invariant($"a source pauses at {route.BytesInFlight:N0} (Intake:BytesInFlight)");
        Fact("memory of bodies", Invariant(
            $"at most {2 * bytes:N0} bytes: twice Stages:MaxMessageBytes ({route.MaxMessageBytes:N0}) for each message in flight; {pauses}"));
        Fact("stores", route switch
        {
            { Sink: null } => "none: its handler writes to no sink",
            { Handler.ReadsObjects: true, Sink: { } sink } => $"one object read per message, and what it holds to {sink.Name}",
            { IsBundled: true, Sink: { } sink } =>
                Invariant($"one call to {sink.Name} for up to {route.MessagesPerObject:N0} messages with one key prefix (Bundles)"),
            { Sink: { } sink } => $"one call to {sink.Name} per message; retries and duplicates come in addition",
        });
        output.WriteLine();

        void Fact(string name, string what) => output.WriteLine($"  {name,-22} {what}");
    }

    private static string CallsOf(SourcePlan source) => source.OnComplete switch
    {
        CompletionEffect.Deletes => "a receive and a delete per message, fewer where the queue takes batches; receives of an empty queue come in addition",
        CompletionEffect.Acknowledges => "none; the sender gets an answer per message",
        _ => "none",
    };

    private static string KillOf(SourcePlan source, int most) => source switch
    {
        { OnComplete: CompletionEffect.Deletes } =>
            Invariant($"redelivers up to {most:N0} messages in flight, and those stored and not yet deleted; none is lost"),
        { OnComplete: CompletionEffect.Acknowledges } => Invariant(
            $"leaves up to {most:N0} messages without an answer; LOST where their senders do not send them again"),
        _ => Invariant($"LOSES up to {most:N0} messages in flight, and those that wait in memory or in the kernel"),
    };
}
