using System.Globalization;
using ElasticsearchServer;
using Integration.Tests.Servers;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Elasticsearch;
using Quayside.Messaging.Sinks;

namespace Integration.Tests.Elasticsearch;

/// <summary>The check at start, and credentials, which no log shows.</summary>
public sealed class ElasticsearchSinkCheckTests
{
    private const string Secret = "canary-5f0cd1";
    private const string Key = "Y2FuYXJ5LTVmMGNkMQ==";

    private static readonly ServerSettings Secured = new() { Username = "worker", Password = Secret, ApiKey = Key };

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Check_RightCredentials_PassesAndIndexes()
    {
        foreach (Func<ElasticsearchSinkOptions, ElasticsearchSinkOptions> credentials in (Func<ElasticsearchSinkOptions, ElasticsearchSinkOptions>[])[
            Basic("worker", Secret), ApiKey(Key)])
        {
            await using SinkRun run = await SinkRun.StartAsync(change: credentials, settings: Secured);
            await run.Sink.CheckAsync(Token);
            (await run.WriteAsync(2)).ShouldBe(new DocumentsResult(SinkStatus.Stored, 2, 0, 0));
        }
    }

    [Fact]
    public async Task Check_WrongOrNoCredentials_FailsFastAndShowsNone()
    {
        using RecordingLog log = new();
        foreach (Func<ElasticsearchSinkOptions, ElasticsearchSinkOptions> credentials in (Func<ElasticsearchSinkOptions, ElasticsearchSinkOptions>[])[
            Basic("worker", Secret + "-wrong"), ApiKey(Key + "wrong"), options => options])
        {
            await using SinkRun run = await SinkRun.StartAsync(change: credentials, settings: Secured, loggers: log);

            StartupException thrown = await Should.ThrowAsync<StartupException>(() => run.Sink.CheckAsync(Token));
            DocumentsResult result = await run.WriteAsync(1);

            thrown.Message.ShouldContain("Sinks:Elasticsearch:ApiKey");
            result.Status.ShouldBe(SinkStatus.Refused);
            string said = string.Join('\n', [thrown.ToString(), result.ToString(), .. log.Entries.Select(entry => entry.Text)]);
            said.ShouldNotContain(Secret);
            said.ShouldNotContain(Key);
        }
    }

    [Fact]
    public async Task Check_CredentialsThatMayOnlyCreate_Passes()
    {
        await using SinkRun run = await SinkRun.StartAsync(change: ApiKey(Key), settings: Secured with { MayMonitor = false, AllowedIndex = SinkRun.Index });

        await run.Sink.CheckAsync(Token);

        (await run.WriteAsync(1)).Created.ShouldBe(1);
    }

    [Fact]
    public async Task Complete_IndexThatIsNotAllowed_IsRefused()
    {
        await using SinkRun run = await SinkRun.StartAsync(change: ApiKey(Key), settings: Secured with { AllowedIndex = "other" });

        DocumentsResult result = await run.WriteAsync(1);

        result.Status.ShouldBe(SinkStatus.Refused);
        result.Detail!.ShouldContain("Grant the privilege create_doc on 'logs'");
    }

    [Fact]
    public async Task Complete_IndexThatMayNotBeCreated_IsRefused()
    {
        await using SinkRun run = await SinkRun.StartAsync(settings: new ServerSettings { AutoCreateIndex = false });

        DocumentsResult result = await run.WriteAsync(1);

        result.Status.ShouldBe(SinkStatus.Refused);
        result.Detail!.ShouldContain("The index 'logs' does not exist");
    }

    [Fact]
    public async Task Complete_PipelineThatDoesNotExist_IsRefusedUntilItDoes()
    {
        await using SinkRun run =
            await SinkRun.StartAsync(change: from => new ElasticsearchSinkOptions { Endpoint = from.Endpoint, Index = from.Index, Pipeline = "geo ip" });

        DocumentsResult before = await run.WriteAsync(1);
        using (HttpClient http = new() { BaseAddress = run.Server.Address })
        using (HttpResponseMessage answer =
            await http.PutAsync(string.Create(CultureInfo.InvariantCulture, $"_ingest/pipeline/{Uri.EscapeDataString("geo ip")}"), null, Token))
        {
            answer.EnsureSuccessStatusCode();
        }

        before.Status.ShouldBe(SinkStatus.Refused);
        before.Detail!.ShouldContain("pipeline with id [geo ip] does not exist");
        (await run.WriteAsync(1)).Created.ShouldBe(1);
    }

    [Fact]
    public async Task Check_Unreachable_PassesWithAWarning()
    {
        using RecordingLog log = new();
        await using SinkRun run = await SinkRun.StartAsync(loggers: log);
        run.Server.Process.Kill();
        await run.Server.Process.WaitForExitAsync();

        await run.Sink.CheckAsync(Token);

        log.Entries.ShouldContain(entry => entry.Id.Id == 4201);
    }

    [Fact]
    public async Task Check_NotElasticsearch_IsAProblemThatNamesTheSetting()
    {
        using RecordingLog log = new();
        await using StrictElasticsearch server = await StrictElasticsearch.StartAsync();
        await using ElasticsearchSink sink =
            ElasticsearchSinks.Open(
                new ElasticsearchSinkOptions { Endpoint = [new Uri(server.Address, "somewhere/else/").AbsoluteUri], Index = "logs" }, loggers: log);

        await sink.CheckAsync(Token);

        sink.Problem.ShouldNotBeNull().ShouldContain("check Sinks:Elasticsearch:Endpoint");
        log.Entries.ShouldContain(entry => entry.Id.Id == 4201);
    }

    private static Func<ElasticsearchSinkOptions, ElasticsearchSinkOptions> Basic(string user, string password) =>
        from => new ElasticsearchSinkOptions { Endpoint = from.Endpoint, Index = from.Index, Username = user, Password = password };

    private static Func<ElasticsearchSinkOptions, ElasticsearchSinkOptions> ApiKey(string key) =>
        from => new ElasticsearchSinkOptions { Endpoint = from.Endpoint, Index = from.Index, ApiKey = key };
}
