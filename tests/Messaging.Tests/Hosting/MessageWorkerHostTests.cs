using System.Net;
using System.Net.Sockets;
using Messaging.Tests.Handlers.Typed;
using Messaging.Tests.Planning;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Http;
using Quayside.Messaging.Http.Web;
using Quayside.Messaging.Planning;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Hosting;

/// <summary>A worker in a user's own host.</summary>
public sealed class MessageWorkerHostTests
{
    [Fact]
    public void Build_WrongConfiguration_ThrowsWithEveryProblem()
    {
        HostApplicationBuilder builder = Builder("Intake:Concurrency=0", "Routes:a:Source=Sqs");
        builder.AddMessageWorker(worker => worker.AddArchive().AddSource(new FakeSource("Channel")));

        ConfigurationException exception = Should.Throw<ConfigurationException>(() => builder.Build());

        exception.Errors.Select(error => error.Key).ShouldBe(["Sources:Channel", "Intake:Concurrency", "Routes:a:Source"], ignoreOrder: true);
    }

    [Fact]
    public void Build_Features_AreConfiguredOnce()
    {
        FakeSource source = new("Queue");
        HostApplicationBuilder builder = Builder("Routes:a:Source=Queue", "Sources:Queue:Speed=3");
        builder.AddMessageWorker(worker => worker.AddArchive()).AddMessageWorker(worker => worker.AddSource(source));

        using IHost host = builder.Build();

        host.Services.GetRequiredService<WorkerPlan>().Routes.ShouldHaveSingleItem().Sources.ShouldHaveSingleItem().Name.ShouldBe("Queue");
        source.Configured.ShouldBe(["a:3"]);
    }

    [Fact]
    public void Build_ConfigurationThatIsAddedLater_IsUsed()
    {
        HostApplicationBuilder builder = Builder();
        builder.AddMessageWorker(worker => worker.AddArchive());
        builder.Configuration.AddCommandLine(["--Routes:late:Source=Channel"]);

        using IHost host = builder.Build();

        host.Services.GetRequiredService<WorkerPlan>().Routes.ShouldHaveSingleItem().Name.ShouldBe("late");
    }

    [Fact]
    public void Build_SettingsOfTheProcess_CanBeInjected()
    {
        HostApplicationBuilder builder = Builder("Routes:a:Source=Channel", "Tenants:Speed=4", "Hosting:DrainTimeout=40s");
        builder.AddMessageWorker(worker => worker.AddArchive().AddSettings(SettingsSection.Of<FakeFeatureOptions>("Tenants")));

        using IHost host = builder.Build();

        host.Services.GetRequiredService<FakeFeatureOptions>().Speed.ShouldBe(4);
        host.Services.GetRequiredService<HostingOptions>().DrainTimeout.ShouldBe(TimeSpan.FromSeconds(40));
    }

    [Fact]
    public void Build_WithoutHttp_HasNoWebServer()
    {
        HostApplicationBuilder builder = Builder("Routes:a:Source=Channel");
        builder.AddMessageWorker(worker => worker.AddArchive());

        using IHost host = builder.Build();

        host.Services.GetService<WebServer>().ShouldBeNull();
        host.Services.GetServices<IHostedService>().ShouldAllBe(service => service.GetType().Assembly.GetName().Name != "Microsoft.AspNetCore.Hosting");
    }

    [Fact]
    public void Build_WithoutHttp_ItsSettingsAreUnknown()
    {
        HostApplicationBuilder builder = Builder("Routes:a:Source=Channel", "Hosting:Url=http://127.0.0.1:0");
        builder.AddMessageWorker(worker => worker.AddArchive());

        Should.Throw<ConfigurationException>(() => builder.Build()).Errors.Select(error => error.ToString()).ShouldBe(
            ["Hosting:Url: is not a known key. Known here: DrainTimeout, ReportEvery. It would have no effect."]);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Start_HttpOrConsole_HasThePageOnlyWithTheConsole(bool console)
    {
        HostApplicationBuilder builder = Builder("Routes:a:Source=Channel", "Hosting:Url=http://127.0.0.1:0");
        builder.AddMessageWorker(worker => (console ? worker.AddConsole().AddConsole() : worker.AddHttp()).AddArchive());

        using IHost host = builder.Build();
        await host.StartAsync();

        using HttpClient client = new() { BaseAddress = new Uri(host.Services.GetRequiredService<IWebAddresses>().Urls[0]) };
        foreach (string path in new[] { "/", "/api/v1/stats" })
        {
            (await client.GetAsync(path)).StatusCode.ShouldBe(console ? HttpStatusCode.OK : HttpStatusCode.NotFound, path);
        }

        (await client.GetAsync("/healthz/ready")).StatusCode.ShouldBe(HttpStatusCode.OK);
        (await client.GetStringAsync("/metrics")).ShouldNotBeEmpty();
        string unknown = await (await client.GetAsync("/other")).Content.ReadAsStringAsync();
        unknown.Contains("the page at /", StringComparison.Ordinal).ShouldBe(console, unknown);
        await host.StopAsync();
    }

    [Fact]
    public void AddMessageWorker_Definition_IsPlannedBeforeAndRunsInTheHost()
    {
        FakeSource source = new("Queue");
        WorkerDefinition definition = new(worker => worker.AddArchive().AddSource(source).Services.AddSingleton("from a feature"));
        HostApplicationBuilder builder = Builder("Routes:a:Source=Queue", "Tenants:Speed=4");

        definition.Plan(builder.Configuration).Errors.Select(error => error.Key).ShouldBe(["Tenants"]);
        builder.AddMessageWorker(definition).AddMessageWorker(worker => worker.AddSettings(SettingsSection.Of<FakeFeatureOptions>("Tenants")));
        using IHost host = builder.Build();

        host.Services.GetRequiredService<WorkerPlan>().Routes.ShouldHaveSingleItem().Name.ShouldBe("a");
        host.Services.GetRequiredService<FakeFeatureOptions>().Speed.ShouldBe(4);
        host.Services.GetRequiredService<string>().ShouldBe("from a feature");
    }

    [Fact]
    public async Task AddMessageWorker_DefinitionWithAHandlerThatTakesAScopedServiceOfTheHost_EndsTheStartWithAdvice()
    {
        HostApplicationBuilder builder = Builder("Routes:orders:Source=Channel", "Routes:orders:Handler=Orders");
        builder.Services.AddScoped<Version>();
        builder.AddMessageWorker(new WorkerDefinition(worker => worker.AddHandler<Order, VersionHandler>("Orders", TestJson.Default.Order)));
        using IHost host = builder.Build();

        StartupException exception = await Should.ThrowAsync<StartupException>(() => host.StartAsync(TestContext.Current.CancellationToken));

        exception.Message.ShouldContain("takes Version, which is a scoped service");
    }

    [Fact]
    public void AddMessageWorker_DefinitionBesideAWorker_IsRefused()
    {
        HostApplicationBuilder builder = Builder();
        builder.AddMessageWorker(worker => worker.AddArchive());

        Should.Throw<InvalidOperationException>(() => builder.AddMessageWorker(new WorkerDefinition(_ => { })));
    }

    [Fact]
    public async Task GetTotals_UnknownRouteOrNotStarted_SaysSo()
    {
        HostApplicationBuilder builder = Builder("Routes:a:Source=Channel", "Routes:a:Sink=Memory");
        builder.AddMessageWorker(worker => worker.AddArchive());
        using IHost host = builder.Build();
        IMessageWorker worker = host.Services.GetRequiredService<IMessageWorker>();

        Should.Throw<ArgumentException>(() => worker.GetTotals("a"));
        await host.StartAsync(TestContext.Current.CancellationToken);
        worker.GetTotals("A").Received.ShouldBe(0);
        Should.Throw<ArgumentException>(() => worker.GetTotals("b")).Message.ShouldStartWith("The worker has no route 'b', or has not started.");
        await host.StopAsync(TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Stop_AMessageIsLost_IsNotClean()
    {
        HostApplicationBuilder builder = Builder("Routes:a:Source=Queue", "Routes:a:Sink=Memory");
        FakeSource queue = new("Queue", static plan => plan with
        {
            OnComplete = CompletionEffect.None,
            Create = static services => new LosingSource(services.Metrics.ShouldNotBeNull()),
        });
        builder.AddMessageWorker(worker => worker.AddArchive().AddSource(queue));
        using IHost host = builder.Build();
        await host.StartAsync(TestContext.Current.CancellationToken);

        await host.StopAsync(TestContext.Current.CancellationToken);

        IMessageWorker worker = host.Services.GetRequiredService<IMessageWorker>();
        worker.GetTotals("a").Lost.ShouldBe(1);
        worker.DrainedCleanly.ShouldBeFalse();
    }

    [Fact]
    public async Task Stop_ASourceDroppedInput_CountsItByNameAndKeepsIt()
    {
        RecordingLog log = new();
        HostApplicationBuilder builder = Builder("Routes:a:Source=TcpLines", "Routes:a:Sink=Memory", "Sources:TcpLines:Endpoint=127.0.0.1:0");
        builder.Logging.ClearProviders().AddProvider(log);
        builder.AddMessageWorker(worker => worker.AddArchive().AddTcpLines());
        using IHost host = builder.Build();
        await host.StartAsync(TestContext.Current.CancellationToken);
        IMessageWorker worker = host.Services.GetRequiredService<IMessageWorker>();
        using (TcpClient sender = new())
        {
            await sender.ConnectAsync(EndpointIn(log), TestContext.Current.CancellationToken);
            await sender.GetStream().WriteAsync("14 {\"a\":\"b\"}"u8.ToArray(), TestContext.Current.CancellationToken);
        }

        RouteStatus status = host.Services.GetRequiredService<IWorkerStatus>().GetRoutes().Single();
        for (int attempt = 0; status.Dropped is null; attempt++)
        {
            attempt.ShouldBeLessThan(3_000, "The line was not dropped.");
            await Task.Delay(10, TestContext.Current.CancellationToken);
            status = host.Services.GetRequiredService<IWorkerStatus>().GetRoutes().Single();
        }

        status.Dropped.Reasons.ShouldBe(new Dictionary<string, long> { ["unterminated"] = 1 });
        status.IsReady.ShouldBeTrue("A sender's fault does not take the route from other senders.");
        await host.StopAsync(TestContext.Current.CancellationToken);

        worker.GetTotals("a").Lost.ShouldBe(0, "The line is a dead letter.");
        worker.DrainedCleanly.ShouldBeTrue("The shutdown itself lost nothing.");
        log.Entries.Single(entry => entry.Id.Id == 1103).Text.ShouldEndWith("0 lost");
        (LogLevel level, string total) = log.Entries.Where(entry => entry.Id.Id == 1118).Select(entry => (entry.Level, entry.Text)).ShouldHaveSingleItem();
        level.ShouldBe(LogLevel.Warning);
        total.ShouldContain("dropped input: 1 unterminated. ");
        total.ShouldContain("Sources:TcpLines:Framing=OctetCounting");
    }

    private static IPEndPoint EndpointIn(RecordingLog log) =>
        IPEndPoint.Parse(log.Entries.Single(entry => entry.Id.Id == 3450).Text.Split(" on ")[1].Split(' ')[0]);

    /// <summary>A source that is closed in time, but without one of its messages.</summary>
    private sealed class LosingSource(RouteMetrics metrics) : IMessageSource
    {
        public Task CheckAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task ReceiveAsync(IMessageIntake intake, CancellationToken stopReceiving) => Task.Delay(Timeout.Infinite, stopReceiving);

        public Task CloseAsync(CancellationToken cancellationToken)
        {
            metrics.MessagesLost(1);
            return Task.CompletedTask;
        }

        public ValueTask DisposeAsync() => default;
    }

    private sealed class VersionHandler(Version version) : IMessageHandler<Order>
    {
        public ValueTask<Settlement> HandleAsync(Order message, MessageInfo info, CancellationToken cancellationToken) =>
            new(version.Major > 0 ? Settlement.Complete : default);
    }

    private static HostApplicationBuilder Builder(params string[] keys)
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        builder.Configuration.AddCommandLine([.. keys.Select(key => $"--{key}")]);
        return builder;
    }
}
