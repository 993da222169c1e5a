using System.Net;
using System.Net.Sockets;
using Messaging.Tests.Handlers;
using Messaging.Tests.Handlers.Typed;
using Messaging.Tests.Planning;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Quayside.Messaging.CommandLine;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Planning;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Building;
using Quayside.Pipeline.Contexts;
using Quayside.Pipeline.Settlements;
using Shared.Hosting;

namespace Messaging.Tests.Hosting;

/// <summary><c>validate</c> builds what a start builds, and names the part and what to register; it leaves the machine as it was.</summary>
public sealed class ContainerCheckTests
{
    private static readonly string[] Orders = ["--Routes:orders:Source=Channel", "--Routes:orders:Handler=Orders"];

    private static readonly Dictionary<string, string[]> Words = new()
    {
        { "handler-service", ["Route orders, handler Orders: NeedsShop cannot be created", $"AddSingleton<{typeof(IShop).FullName}>()"] },
        { "scoped-handler-service", ["Route orders, handler Orders: NeedsShop cannot be created", $"AddSingleton<{typeof(IShop).FullName}>()"] },
        { "handler-constructor", ["Route orders, handler Orders: the constructor of Failing failed: The database is away."] },
        { "scoped-handler-constructor", ["Route orders, handler Orders: the constructor of Failing failed: The database is away."] },
        { "handler-captures", ["Route orders, handler Orders: NeedsShop takes IShop, which is a scoped service", "AddScopedHandler"] },
        {
            "handler-captures-through-transient",
            ["Route orders, handler Orders: NeedsClerk cannot be created: Cannot resolve", "scoped service", "AddScopedHandler"]
        },
        { "singleton-captures", [$"Services: Cannot consume scoped service '{typeof(IShop).FullName}' from singleton '{typeof(Clerk).FullName}'"] },
        {
            "service-of-a-service",
            [
                $"Services: Unable to resolve service for type '{typeof(IShop).FullName}' while attempting to activate '{typeof(Clerk).FullName}'",
                $"AddSingleton<{typeof(IShop).FullName}>()",
            ]
        },
        { "step-service", ["Route orders, part NeedyStep: NeedyStep cannot be created", $"AddSingleton<{typeof(IShop).FullName}>()"] },
        { "step-constructor", ["Route orders, part FailingStep: the constructor of FailingStep failed: The list is away."] },
        { "source-throws", ["Route orders, source Broken: No such carrier."] },
        { "source-null", ["Route orders, source Broken: its feature created nothing (null)"] },
        { "sink-throws", ["Route orders, sink Broken: No such store."] },
        { "sink-null", ["Route orders, sink Broken: its feature created nothing (null)"] },
        { "hosted-service-constructor", ["hosted services: The clock is away"] },
        { "options", ["Speed must be positive."] },
    };

    public static TheoryData<string> BrokenWorkers => [.. Words.Keys];

    [Theory]
    [MemberData(nameof(BrokenWorkers))]
    public async Task Collect_APartThatCannotBeBuilt_NamesItAndWhatToDo(string worker)
    {
        string problem = (await ProblemsAsync(builder => Break(builder, worker), SinkOf(worker))).ShouldHaveSingleItem();

        Words[worker].ShouldAllBe(word => problem.Contains(word, StringComparison.Ordinal), problem);
    }

    /// <summary>The other way round: nothing is refused that a start accepts.</summary>
    [Theory]
    [MemberData(nameof(BrokenWorkers))]
    public async Task Start_OfWhatIsRefused_IsRefusedToo(string worker)
    {
        int code = await WorkerCommandLine.RunAsync([.. Orders, .. SinkOf(worker)], builder => Break(builder, worker))
            .WaitAsync(TimeSpan.FromSeconds(60), TestContext.Current.CancellationToken);

        code.ShouldNotBe(ExitCodes.Success);
    }

    [Fact]
    public async Task Collect_SeveralDefects_NamesEach()
    {
        IReadOnlyList<string> problems = await ProblemsAsync(
            worker => worker
                .AddHandler<Order, NeedsShop>("Orders", TestJson.Default.Order)
                .AddHandler<Order, Failing>("Others", TestJson.Default.Order)
                .AddStep<FailingStep>(),
            "--Routes:others:Source=Channel", "--Routes:others:Handler=Others");

        problems.Count.ShouldBe(3);
        problems.ShouldContain(problem => problem.StartsWith("Route orders, handler Orders: NeedsShop", StringComparison.Ordinal));
        problems.ShouldContain(problem => problem.StartsWith("Route others, handler Others: the constructor of Failing", StringComparison.Ordinal));
        problems.ShouldContain(problem => problem.StartsWith("Route orders, part FailingStep; Route others, part FailingStep: ", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Collect_AWorkerWithoutDefects_FindsNothingAndDisposesWhatItBuilt()
    {
        Disposed disposed = new();

        IReadOnlyList<string> problems = await ProblemsAsync(
            worker => worker.With(services => services.AddSingleton(disposed)).AddHandler<Order, Tidy>("Orders", TestJson.Default.Order));

        problems.ShouldBeEmpty();
        disposed.Count.ShouldBe(1);
    }

    [Fact]
    public async Task Collect_TheDaemon_CreatesNoFolderAndOpensNoPort()
    {
        using TemporaryFolder folder = new();
        using Socket udp = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        using TcpListener tcp = new(IPAddress.Loopback, 0);
        udp.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        tcp.Start();

        // Ports in use and a server that does not answer are the start's business.
        IReadOnlyList<string> problems = await FindAsync(
            $"--Hosting:Url=http://{tcp.LocalEndpoint}",
            $"--Sources:TcpLines:Endpoint=127.0.0.1:{((IPEndPoint)tcp.LocalEndpoint).Port + 1}",
            $"--Sources:Udp:Endpoint={udp.LocalEndPoint}",
            "--Routes:a:Source=Channel,Http,Udp,TcpLines,Sqs", $"--Sinks:Directory:Path={folder["data/deep"]}", $"--DeadLetters:Path={folder["dead-letters"]}",
            "--Sources:Sqs:Queue=orders", "--Aws:Region=eu-west-1", "--Aws:AccessKeyId=a", "--Aws:SecretAccessKey=b",
            $"--Aws:Endpoint=http://{tcp.LocalEndpoint}");

        problems.ShouldBeEmpty();
        Directory.EnumerateFileSystemEntries(folder.Path).ShouldBeEmpty();
        tcp.Pending().ShouldBeFalse();
    }

    internal static async Task<IReadOnlyList<string>> FindAsync(params string[] keys)
    {
        using IHost host = WorkerHost.Build(WorkerConfiguration.Build(configFile: null, keys, readSettingsFile: false));
        return (await ContainerCheck.RunAsync(host.Services).WaitAsync(TimeSpan.FromSeconds(60), TestContext.Current.CancellationToken)).Problems;
    }

    private static async Task<IReadOnlyList<string>> ProblemsAsync(Action<IMessageWorkerBuilder> configure, params string[] keys)
    {
        IConfigurationRoot configuration = WorkerConfiguration.Build(configFile: null, [.. Orders, .. keys], readSettingsFile: false);
        WorkerDefinition definition = new(configure);
        definition.Plan(configuration).Errors.ShouldBeEmpty();
        try
        {
            using IHost host = WorkerApp.CreateHost(definition, configuration);
            return (await ContainerCheck.RunAsync(host.Services).WaitAsync(TimeSpan.FromSeconds(60), TestContext.Current.CancellationToken)).Problems;
        }
        catch (ConfigurationException exception)
        {
            return [.. exception.Errors.Select(error => error.ToString())];
        }
    }

    private static string[] SinkOf(string worker) =>
        worker.StartsWith("sink", StringComparison.Ordinal) ? ["--Routes:orders:Handler=Store", "--Routes:orders:Sink=Broken"]
        : worker.StartsWith("source", StringComparison.Ordinal) ? ["--Routes:orders:Source=Broken"]
        : [];

    private static void Break(IMessageWorkerBuilder worker, string how)
    {
        switch (how)
        {
            case "handler-service":
                worker.AddHandler<Order, NeedsShop>("Orders", TestJson.Default.Order);
                return;
            case "scoped-handler-service":
                worker.AddScopedHandler<Order, NeedsShop>("Orders", TestJson.Default.Order);
                return;
            case "handler-constructor":
                worker.AddHandler<Order, Failing>("Orders", TestJson.Default.Order);
                return;
            case "scoped-handler-constructor":
                worker.AddScopedHandler<Order, Failing>("Orders", TestJson.Default.Order);
                return;
            case "handler-captures":
                worker.With(services => services.AddScoped<IShop, Shop>()).AddHandler<Order, NeedsShop>("Orders", TestJson.Default.Order);
                return;
            case "handler-captures-through-transient":
                worker.With(services => services.AddScoped<IShop, Shop>().AddTransient<Clerk>())
                    .AddHandler<Order, NeedsClerk>("Orders", TestJson.Default.Order);
                return;
            case "singleton-captures":
                worker.With(services => services.AddScoped<IShop, Shop>().AddSingleton<Clerk>())
                    .AddHandler<Order, NeedsClerk>("Orders", TestJson.Default.Order);
                return;
            case "service-of-a-service":
                worker.With(services => services.AddSingleton<Clerk>()).AddHandler<Order, NeedsClerk>("Orders", TestJson.Default.Order);
                return;
        }

        worker.With(services => services.AddSingleton<Disposed>()).AddHandler<Order, Tidy>("Orders", TestJson.Default.Order);
        switch (how)
        {
            case "step-service":
                worker.AddStep<NeedyStep>();
                break;
            case "step-constructor":
                worker.AddStep<FailingStep>();
                break;
            case "source-throws":
                worker.AddSource(new FakeSource("Broken", plan => plan with { Create = _ => throw new StartupException("No such carrier.") }));
                break;
            case "source-null":
                worker.AddSource(new FakeSource("Broken", plan => plan with { Create = _ => null! }));
                break;
            case "sink-throws":
                worker.AddHandler(new FakeHandler("Store", describe: plan => plan with { Compose = AddTerminator }))
                    .AddSink(new FakeSink("Broken", describe: plan => plan with { Create = _ => throw new StartupException("No such store.") }));
                break;
            case "sink-null":
                worker.AddHandler(new FakeHandler("Store", describe: plan => plan with { Compose = AddTerminator }))
                    .AddSink(new FakeSink("Broken", describe: plan => plan with { Create = _ => null! }));
                break;
            case "hosted-service-constructor":
                worker.Services.AddHostedService<FailingService>();
                break;
            default:
                worker.Services.AddOptions<Pace>().Validate(pace => pace.Speed > 0, "Speed must be positive.").ValidateOnStart();
                break;
        }
    }

    private static void AddTerminator(PipelineBuilder<MessageContext> builder, HandlerServices services) => builder.Terminator(new Completing());

    private interface IShop;

    private sealed class Shop : IShop;

    private sealed class Clerk(IShop shop)
    {
        public IShop Shop => shop;
    }

    private sealed class Pace
    {
        public int Speed { get; set; }
    }

    private sealed class Disposed
    {
        public int Count { get; set; }
    }

    private abstract class Handler : IMessageHandler<Order>
    {
        public ValueTask<Settlement> HandleAsync(Order message, MessageInfo info, CancellationToken cancellationToken) => new(Settlement.Complete);
    }

    private sealed class NeedsShop(IShop shop) : Handler
    {
        public IShop Shop => shop;
    }

    private sealed class NeedsClerk(Clerk clerk) : Handler
    {
        public Clerk Clerk => clerk;
    }

    private sealed class Failing : Handler
    {
        public Failing() => throw new IOException("The database is away.");
    }

    private sealed class Tidy(Disposed disposed) : Handler, IDisposable
    {
        public void Dispose() => disposed.Count++;
    }

    private sealed class NeedyStep(IShop shop) : IStep<MessageContext>
    {
        public IShop Shop => shop;
    }

    private sealed class FailingStep : IStep<MessageContext>
    {
        public FailingStep() => throw new IOException("The list is away.");
    }

    private sealed class Completing : ITerminator<MessageContext>
    {
        public ValueTask InvokeAsync(MessageContext context)
        {
            context.Settlement = Settlement.Complete;
            return default;
        }
    }

    private sealed class FailingService : IHostedService
    {
        public FailingService() => throw new IOException("The clock is away.");

        public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }
}
