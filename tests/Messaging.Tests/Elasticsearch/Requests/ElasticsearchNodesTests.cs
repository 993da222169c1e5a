using Quayside.Messaging.Elasticsearch;

namespace Messaging.Tests.Elasticsearch.Requests;

/// <summary>Which node gets a request, and what is logged about those that fail.</summary>
public sealed class ElasticsearchNodesTests : IDisposable
{
    private static readonly BulkFault Broken = new(BulkFaultKind.Transient, "ConnectionError", Reason: "Connection refused");

    private readonly ManualTimeProvider _time = new();
    private readonly RecordingLog _log = new();

    public void Dispose() => _log.Dispose();

    [Fact]
    public void Next_AllAnswer_TakesTheirTurns()
    {
        ElasticsearchNodes nodes = Create(3);

        Hosts(nodes, 6).ShouldBe(["a", "b", "c", "a", "b", "c"]);
    }

    [Fact]
    public void Next_OneNodeIsDown_GoesToTheOthersUntilItsPauseEnds()
    {
        ElasticsearchNodes nodes = Create(3);
        nodes.Report(nodes.Next(), Broken);

        Hosts(nodes, 4).ShouldNotContain("a");
        _time.Advance(TimeSpan.FromSeconds(5));
        string[] after = Hosts(nodes, 6);

        // One request tries it, and the others use other nodes.
        after.Count(host => host == "a").ShouldBe(1);
    }

    [Fact]
    public void Next_NodeAnswersAgain_TakesItsTurns()
    {
        ElasticsearchNodes nodes = Create(2);
        ElasticsearchNode first = nodes.Next();
        nodes.Report(first, Broken);
        nodes.Report(first, default);

        Hosts(nodes, 4).ShouldBe(["b", "a", "b", "a"]);
        Logged().ShouldBe([
            "Warning The Elasticsearch node http://a/ does not answer (Elasticsearch node: ConnectionError: Connection refused); its requests go to the other "
                + "nodes, and it is tried again in 00:00:05",
            "Information The Elasticsearch node http://a/ answers again",
        ]);
    }

    [Fact]
    public void Next_AllAreDown_TakesTheOneWhosePauseEndsFirst()
    {
        ElasticsearchNodes nodes = Create(2);
        nodes.Report(nodes.Next(), Broken);
        _time.Advance(TimeSpan.FromSeconds(1));
        nodes.Report(nodes.Next(), Broken);

        Hosts(nodes, 3).ShouldBe(["a", "a", "a"]);
    }

    [Fact]
    public void Report_FailuresInARow_AreLoggedOnce()
    {
        ElasticsearchNodes nodes = Create(2);
        ElasticsearchNode first = nodes.Next();
        for (int i = 0; i < 50; i++)
        {
            nodes.Report(first, Broken);
        }

        Logged().Length.ShouldBe(1);

        // They were in flight together, so the pause is still the first one.
        _time.Advance(TimeSpan.FromSeconds(5));
        Hosts(nodes, 2).ShouldContain("a");
    }

    [Fact]
    public void Next_NodeStaysDown_IsTriedLessAndLessOften()
    {
        ElasticsearchNodes nodes = Create(2);
        ElasticsearchNode first = nodes.Next();
        nodes.Report(first, Broken);
        foreach (int seconds in (int[])[5, 10, 20, 40, 60, 60])
        {
            _time.Advance(TimeSpan.FromSeconds(seconds - 1));
            Hosts(nodes, 2).ShouldNotContain("a");
            _time.Advance(TimeSpan.FromSeconds(1));
            Hosts(nodes, 2).ShouldContain("a");
            nodes.Report(first, Broken);
        }
    }

    [Theory]
    [InlineData(502, true)]
    [InlineData(503, true)]
    [InlineData(504, true)]
    [InlineData(429, false)]
    [InlineData(500, false)]
    public void IsDown_Status_IsAProxysThatGotNoAnswer(int status, bool isDown) =>
    ElasticsearchNodes.IsDown(new BulkFault(BulkFaultKind.Transient, "x", status)).ShouldBe(isDown);

    [Fact]
    public void Report_OneAddress_LogsNothing()
    {
        ElasticsearchNodes nodes = Create(1);
        nodes.Report(nodes.Next(), Broken);

        Hosts(nodes, 2).ShouldBe(["a", "a"]);
        Logged().ShouldBeEmpty();
    }

    private static string[] Hosts(ElasticsearchNodes nodes, int count) => [.. Enumerable.Range(0, count).Select(_ => nodes.Next().Root.Host)];

    private string[] Logged() => [.. _log.Entries.Select(entry => $"{entry.Level} {entry.Text}")];

    private ElasticsearchNodes Create(int count) => new(
        new ElasticsearchSinkOptions { Endpoint = [.. "abc"[..count].Select(name => $"http://{name}")], Index = "logs" },
        _time,
        _log.CreateLogger("nodes"));
}
