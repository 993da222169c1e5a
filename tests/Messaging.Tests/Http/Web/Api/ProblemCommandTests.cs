using System.Text.Json;
using Messaging.Tests.Planning;
using Quayside.Messaging.Aws.Sqs;
using Quayside.Messaging.Console.Api;
using Quayside.Messaging.Console.Commands;
using Quayside.Messaging.DeadLetters.Redrive;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Telemetry;

namespace Messaging.Tests.Http.Web.Api;

/// <summary>What <c>status</c> and the page say about a problem: the command that ends it, and all of the text.</summary>
public sealed class ProblemCommandTests
{
    [Theory]
    [InlineData("Sqs", " redrive --from sqs --route orders --dry-run", "redrive them")]
    [InlineData("Own", null, "has no redrive")]
    public void DeadLettersInAQueue_HaveTheCommand_WhereThereIsARedrive(string source, string? command, string advice)
    {
        RouteProblem waiting = new() { Event = 5001, Severity = ProblemSeverity.Warning, Text = "7 wait.", Advice = "Fix the cause." };
        RouteStatus route = WorkerHistoryTests.Status(default) with { Name = "orders", DeadLetterQueues = [source], Problems = [waiting] };

        RouteProblem shown = WorkerStats
            .WithCommands(route, new RedriveCatalog(FakeFeatures.Of([new SqsSourceFeature()], [], [])), new Uri("http://127.0.0.1:8080"))
            .Problems.ShouldHaveSingleItem();

        (shown.Text, shown.Severity).ShouldBe((waiting.Text, waiting.Severity));
        shown.Advice.ShouldContain(advice);
        (shown.Setting is { } found ? found[found.IndexOf(" redrive ", StringComparison.Ordinal)..] : null).ShouldBe(command);
    }

    [Fact]
    public async Task Status_OfALongText_BeginsWithTheTime_AndCutsNothing()
    {
        await using ApiHost host = await ApiHost.StartAsync();
        WorkerState state = JsonSerializer.Deserialize(await host.Client.GetStringAsync("/api/v1/stats"), ApiJson.Stats.WorkerState)!;
        string text = new('t', 1_000);
        RouteProblem problem = new()
        {
            Event = 1008,
            Severity = ProblemSeverity.Failure,
            Text = $"{text}\u001b[2J",
            Advice = $"{text} advice",
            Setting = $"{text} command",
            Since = new DateTimeOffset(state.Time).AddMinutes(-5),
        };

        string[] lines = [.. StatusCommand.LinesOf(state with { Problems = [], Routes = [state.Routes[0] with { Problems = [problem] }] })];

        lines[^3..].ShouldBe([$"Route archive, since 5 min: {text}\\u001b[2J", $"  {text} advice", $"  {text} command"]);
    }
}
