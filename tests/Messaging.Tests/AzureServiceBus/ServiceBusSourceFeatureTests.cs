using Azure.Messaging.ServiceBus;
using Messaging.Tests.Planning;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.AzureServiceBus;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Planning;
using Quayside.Messaging.Sources;

namespace Messaging.Tests.AzureServiceBus;

public sealed class ServiceBusSourceFeatureTests
{
    private const string Key = "Endpoint=sb://orders.servicebus.windows.net;SharedAccessKeyName=n;SharedAccessKey=canary4711";

    private const string NoConnectionString =
        "ConnectionString = \"***\": must name the namespace, Endpoint=sb://NAMESPACE.servicebus.windows.net/, and have SharedAccessKeyName and "
            + "SharedAccessKey, or SharedAccessSignature, in parts Name=value with semicolons between them; for an identity without a key, "
            + "set FullyQualifiedNamespace instead.";

    [Theory]
    [InlineData(" endpoint = sb://h ; sharedaccesskeyname=n;SHAREDACCESSKEY=k;EntityPath=q;")]
    [InlineData("Endpoint=orders.servicebus.windows.net;SharedAccessSignature=SharedAccessSignature sr=x&sig=y=&se=1893456000&skn=n")]
    [InlineData("Endpoint=sb://localhost:5674;SharedAccessKeyName=n;SharedAccessKey=k; UseDevelopmentEmulator = true;")]
    [InlineData("Endpoint=sb://127.0.0.1;SharedAccessKeyName=n;SharedAccessKey=a2V5==;UseDevelopmentEmulator=true")]
    public void Plan_ConnectionString_IsValid(string connectionString) => ErrorsOf($"ConnectionString={connectionString}", "Queue=q").ShouldBeEmpty();

    [Fact]
    public void Plan_ConnectionStringAndQueue_IsValid()
    {
        WorkerPlan plan = Plan(new FakeBus(TimeProvider.System).CreateClient, $"ConnectionString={Key}", "Queue=orders");

        plan.Errors.ShouldBeEmpty();
        plan.Routes.ShouldHaveSingleItem().Sources.ShouldHaveSingleItem().Name.ShouldBe("ServiceBus");
        plan.Effective.Single(setting => setting.Key == "Sources:ServiceBus:ConnectionString").Value.ShouldBe("***");
        plan.Effective.ShouldAllBe(setting => !setting.Value.Contains("canary", StringComparison.Ordinal));
    }

    [Fact]
    public void Plan_NamespaceAndSubscription_IsValid() =>
        ErrorsOf(
            "FullyQualifiedNamespace=orders.servicebus.windows.net", "Topic=orders", "Subscription=archive", "Transport=AmqpWebSockets",
            "PrefetchCount=64").ShouldBeEmpty();

    [Theory]
    [InlineData("FullyQualifiedNamespace: must be set, or ConnectionString.", "Queue=q")]
    [InlineData(
        "FullyQualifiedNamespace = \"h.net\": must not be set together with ConnectionString.", "Queue=q", "FullyQualifiedNamespace=h.net",
        $"ConnectionString={Key}")]
    [InlineData("FullyQualifiedNamespace = \"sb://h/\": must be a hostname", "Queue=q", "FullyQualifiedNamespace=sb://h/")]
    [InlineData(NoConnectionString, "Queue=q", "ConnectionString=canary4711")]
    [InlineData(NoConnectionString, "Queue=q", "ConnectionString=SharedAccessKeyName=n;SharedAccessKey=canary4711")]
    [InlineData(NoConnectionString, "Queue=q", "ConnectionString=Endpoint=sb://h;SharedAccessKey=canary4711")]
    [InlineData(NoConnectionString, "Queue=q", "ConnectionString=Endpoint=sb://h")]
    [InlineData(NoConnectionString, "Queue=q", "ConnectionString=Endpoint=https://h;SharedAccessKeyName=n;SharedAccessKey=canary4711")]
    [InlineData(NoConnectionString, "Queue=q", "ConnectionString=Endpoint=sb://h;SharedAccessKeyName=canary4711;SharedAccessKey=")]
    [InlineData(NoConnectionString, "Queue=q", "ConnectionString=Endpoint=sb://h;SharedAccessKeyName=;SharedAccessKey=canary4711")]
    [InlineData("ConnectionString = \"***\": must not have an EntityPath other than Queue or Topic", "Queue=q", $"ConnectionString={Key};EntityPath=other")]
    [InlineData("ConnectionString = \"***\": must not name an emulator on another machine", "Queue=q", $"ConnectionString={Key};UseDevelopmentEmulator=true")]
    [InlineData(
        "Transport = \"AmqpWebSockets\": must be AmqpTcp with the emulator.", "Queue=q", $"ConnectionString={Key};UseDevelopmentEmulator=true",
        "AllowPlainAmqp=true", "Transport=AmqpWebSockets")]
    [InlineData("Queue: must be set, or Topic with Subscription.", $"ConnectionString={Key}")]
    [InlineData("Queue = \"q\": must not be set together with Topic or Subscription.", $"ConnectionString={Key}", "Queue=q", "Topic=t")]
    [InlineData("Subscription: must be set with Topic.", $"ConnectionString={Key}", "Topic=t")]
    [InlineData(
        "PrefetchCount = \"9\": must not exceed MaxConcurrentCalls (8).", $"ConnectionString={Key}", "Queue=q", "MaxConcurrentCalls=8", "PrefetchCount=9")]
    [InlineData(
        "PrefetchCount = \"65\": must not exceed the default of MaxConcurrentCalls (64).", $"ConnectionString={Key}", "Queue=q", "PrefetchCount=65")]
    [InlineData("PrefetchCount = \"3\": must be 0 with Sessions.", $"ConnectionString={Key}", "Queue=q", "Sessions=true", "PrefetchCount=3")]
    [InlineData("MaxConcurrentCalls = \"1001\": must not exceed Intake:Concurrency (1000).", $"ConnectionString={Key}", "Queue=q", "MaxConcurrentCalls=1001")]
    [InlineData("MaxConcurrentCalls = \"0\": must be from 1 to 10000.", $"ConnectionString={Key}", "Queue=q", "MaxConcurrentCalls=0")]
    public void Plan_Unsafe_IsRefused(string expected, params string[] settings)
    {
        string[] errors = ErrorsOf(settings);

        errors.ShouldContain(error => error.StartsWith($"Sources:ServiceBus:{expected}", StringComparison.Ordinal), string.Join('\n', errors));
        errors.ShouldAllBe(error => !error.Contains("canary", StringComparison.Ordinal));
    }

    [Fact]
    public void Plan_EntityPathWithoutQueue_IsOneProblem() =>
        ErrorsOf($"ConnectionString={Key};EntityPath=orders")
            .ShouldHaveSingleItem()
            .ShouldStartWith("Sources:ServiceBus:Queue: must be set, or Topic with Subscription.");

    [Theory]
    [InlineData(7, new[] { 3 }, "MaxConcurrentCalls=7", "PrefetchCount=3")]
    [InlineData(64, new[] { 0, 0, 0, 0 })]
    [InlineData(64, new[] { 2, 2, 3, 3 }, "PrefetchCount=10")]
    public async Task Configure_Settings_ReachTheClient(int calls, int[] prefetchCounts, params string[] settings)
    {
        FakeBus bus = new(TimeProvider.System);
        WorkerPlan plan = Plan(bus.CreateClient, [$"ConnectionString={Key}", "Queue=orders", .. settings]);
        await using IMessageSource source = Create(plan);
        using CancellationTokenSource stop = new();

        Task receiving = source.ReceiveAsync(new TestIntake(64), stop.Token);
        await ServiceBusSourceHarness.UntilAsync(() => bus.Waiting == calls, "Each call should receive.");

        bus.Links.Select(link => link.PrefetchCount).ShouldBe(prefetchCounts, ignoreOrder: true);
        bus.Links.ShouldAllBe(link => link.ReceiveMode == ServiceBusReceiveMode.PeekLock);
        await stop.CancelAsync();
        await receiving;
    }

    [Fact]
    public async Task Create_ClientRefusesTheConfiguration_IsAConfigurationErrorOfOneSentence()
    {
        string key = $"Endpoint=sb://orders.servicebus.windows.net;SharedAccessKeyName={new string('n', 300)};SharedAccessKey=canary4711";
        WorkerPlan plan = Plan(static (options, retries) => options.CreateClient(retries), $"ConnectionString={key}", "Queue=orders");
        plan.Errors.ShouldBeEmpty();

        StartupException exception = await Should.ThrowAsync<StartupException>(async () => await Create(plan).DisposeAsync());

        exception.ExitCode.ShouldBe(ExitCodes.Configuration);
        exception.Message.ShouldStartWith(
            "Service Bus orders: the client refuses the configuration; check Sources:ServiceBus:ConnectionString: "
                + "The argument 'sharedAccessKeyName' cannot exceed 256 characters.");
        exception.Message.ShouldNotContain("canary");
    }

    [Theory]
    [InlineData($"ConnectionString={Key}")]
    [InlineData("FullyQualifiedNamespace=orders.servicebus.windows.net", "Transport=AmqpWebSockets")]
    public async Task Create_ValidConfiguration_TheRealClientTakesIt(params string[] settings)
    {
        WorkerPlan plan = Plan(static (options, retries) => options.CreateClient(retries), [.. settings, "Queue=orders"]);

        await Create(plan).DisposeAsync();
    }

    private static IMessageSource Create(WorkerPlan plan) => plan.Routes[0].Sources[0].Create(
        new SourceServices
        {
            Route = "one",
            Services = new ServiceCollection().BuildServiceProvider(),
            DeadLetters = new MemoryDeadLetters(),
            Loggers = new RecordingLog(),
            Concurrency = 64,
        });

    private static string[] ErrorsOf(params string[] settings) =>
        [.. Plan(new FakeBus(TimeProvider.System).CreateClient, settings).Errors.Select(error => error.ToString())];

    private static WorkerPlan Plan(Func<ServiceBusSourceOptions, ServiceBusRetryOptions?, ServiceBusClient> createClient, params string[] settings)
    {
        IConfiguration configuration = new ConfigurationBuilder()
            .AddInMemoryCollection(
                settings.Select(setting => setting.Split('=', 2)).Select(pair => KeyValuePair.Create($"Sources:ServiceBus:{pair[0]}", (string?)pair[1])))
            .AddInMemoryCollection(
                [KeyValuePair.Create("Routes:one:Source", (string?)"ServiceBus"), KeyValuePair.Create("Routes:one:Sink", (string?)"Directory")])
            .Build();
        return new WorkerPlanner(
            configuration, FakeFeatures.Of([new ServiceBusSourceFeature(createClient)], [new FakeHandler("Archive")], [new FakeSink("Directory")])).Plan();
    }
}
