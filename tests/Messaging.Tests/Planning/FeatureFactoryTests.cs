using Messaging.Tests.Handlers.Typed;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Sources;
using Quayside.Pipeline.Building;
using Quayside.Pipeline.Contexts;

namespace Messaging.Tests.Planning;

/// <summary>A feature whose factory returns null, throws, or returns something else ends the start with a sentence that names the feature.</summary>
public sealed class FeatureFactoryTests
{
    private static readonly Task NoTask = null!;

    private static readonly string[] ToSink = ["Routes:orders:Handler=Archive", "Routes:orders:Sink=Own"];
    private static readonly string[] FromSource = ["Routes:orders:Handler=Orders", "Routes:orders:Source=Own"];

    private static Dictionary<string, (Action<IMessageWorkerBuilder> Add, string[] Settings, string Error)> Cases { get; } = new(StringComparer.Ordinal)
    {
        ["sink, no plan"] = (worker => Archive(worker).AddSink(new Sink(() => null!)), ToSink,
            $"Routes:orders:Sink = \"Own\": its feature ({typeof(Sink).FullName}) returned null from Configure; "
                + "it must return a SinkPlan, also when it reports problems."),
        ["sink, no factory"] = (worker => Archive(worker).AddSink(new Sink(() => new() { Create = null! })), ToSink,
            $"Routes:orders:Sink = \"Own\": its feature ({typeof(Sink).FullName}) returned a SinkPlan whose Create is null."),
        ["sink, null"] = (worker => Archive(worker).AddSink(new Sink(() => new() { Create = _ => null! })), ToSink,
            "Route orders: the sink Own cannot be created; SinkPlan.Create returned null."),
        ["sink, null below bundles"] = (worker => Archive(worker).AddSink(new Sink(() => new() { Create = _ => null! })), [.. ToSink, "Bundles:Enabled=true"],
            "Route orders: the sink Own cannot be created; SinkPlan.Create returned null."),
        ["sink, another kind"] = (worker => Archive(worker).AddSink(new Sink(() => new() { Create = _ => new CloudFront.MemoryDocuments() })), ToSink,
            $"Route orders: the sink Own cannot be created; "
                + $"SinkPlan.Create returned {typeof(CloudFront.MemoryDocuments).FullName}, which is not an IObjectSink."),
        ["sink, throws"] = (worker => Archive(worker).AddSink(new Sink(() => new() { Create = _ => throw new NotSupportedException("no such disk") })), ToSink,
            "Route orders: the sink Own cannot be created; SinkPlan.Create threw System.NotSupportedException: no such disk"),
        ["sink, check returns null"] = (worker => Archive(worker).AddSink(new Sink(() => new() { Create = _ => new Unchecked() })), ToSink,
            "Route orders: the check of Own returned null instead of a task."),
        ["source, no plan"] = (worker => Handle(worker).AddSource(new Source(() => null!)), FromSource,
            $"Routes:orders:Source = \"Own\": its feature ({typeof(Source).FullName}) returned null from Configure; "
                + "it must return a SourcePlan, also when it reports problems."),
        ["source, no factory"] = (worker => Handle(worker).AddSource(new Source(() => new() { Create = null! })), FromSource,
            $"Routes:orders:Source = \"Own\": its feature ({typeof(Source).FullName}) returned a SourcePlan whose Create is null."),
        ["source, null"] = (worker => Handle(worker).AddSource(new Source(() => new() { Create = _ => null! })), FromSource,
            "Route orders: the source Own cannot be created; SourcePlan.Create returned null."),
        ["source, throws"] =
            (worker => Handle(worker).AddSource(new Source(() => new() { Create = _ => throw new NotSupportedException("no such port") })), FromSource,
                "Route orders: the source Own cannot be created; SourcePlan.Create threw System.NotSupportedException: no such port"),
        ["source, check returns null"] = (worker => Handle(worker).AddSource(new Source(() => new() { Create = _ => new Unchecked() })), FromSource,
            "Route orders: the check of Own returned null instead of a task."),
        ["handler, no plan"] = (worker => worker.AddHandler(new Handler(() => null!)), ["Routes:orders:Handler=Own"],
            $"Routes:orders:Handler = \"Own\": its feature ({typeof(Handler).FullName}) returned null from Configure; "
                + "it must return a HandlerPlan, also when it reports problems."),
        ["handler, no compose"] = (worker => worker.AddHandler(new Handler(() => new() { Compose = null! })), ["Routes:orders:Handler=Own"],
            $"Routes:orders:Handler = \"Own\": its feature ({typeof(Handler).FullName}) returned a HandlerPlan whose Compose is null."),
        ["handler, throws"] =
            (worker => worker.AddHandler(new Handler(() => Composing((_, _) => throw new NotSupportedException("no table")))), ["Routes:orders:Handler=Own"],
                "Route orders: the handler Own cannot be created; HandlerPlan.Compose threw System.NotSupportedException: no table"),
        ["handler, null part"] = (
            worker => worker.AddHandler(new Handler(() => Composing((builder, _) => builder.Terminator<MessageContext>(null!)))),
            ["Routes:orders:Handler=Own"],
            "Route orders: the handler Own cannot be created; HandlerPlan.Compose threw System.ArgumentNullException: "),
        ["handler, check returns null"] = (worker => worker.AddHandler(new Handler(() => Composing((builder, services) =>
        {
            services.Checks.Add(new RouteCheck("the table", _ => NoTask));
            builder.Terminator(new Idle());
        }))), ["Routes:orders:Handler=Own"],
            "Route orders: the check of the table returned null instead of a task."),
        ["dead-letter store"] = (worker => Handle(worker).Services.AddSingleton<IDeadLetterStore>(_ => null!), ["Routes:orders:Handler=Orders"],
            "The worker has no dead-letter store: what is registered as IDeadLetterStore returned null."),
        ["settings"] = (worker => Handle(worker).AddSink(new Sink(() => null!) { Settings = null! }), ["Routes:orders:Handler=Orders"],
            $"Sinks:Own: the Settings of {typeof(Sink).FullName} are null: return an empty list for none."),
    };

    public static TheoryData<string> Features => [.. Cases.Keys];

    [Theory]
    [MemberData(nameof(Features))]
    public async Task Start_BrokenFeature_EndsWithASentenceThatNamesIt(string feature)
    {
        (Action<IMessageWorkerBuilder> add, string[] settings, string error) = Cases[feature];

        Exception exception = await Should.ThrowAsync<Exception>(async () => await TestWorker.StartAsync(
            add, settings.Select(setting => KeyValuePair.Create(setting[..setting.IndexOf('=')], (string?)setting[(setting.IndexOf('=') + 1)..])),
            cancellationToken: TestContext.Current.CancellationToken));

        string text = exception is ConfigurationException configuration
            ? configuration.Errors.ShouldHaveSingleItem().ToString()
            : exception.ShouldBeOfType<StartupException>().Message;
        text.ShouldStartWith(error);
    }

    private static IMessageWorkerBuilder Archive(IMessageWorkerBuilder worker) => worker.AddArchive();

    private static IMessageWorkerBuilder Handle(IMessageWorkerBuilder worker)
    {
        worker.Services.AddSingleton(new ScriptedHandler((_, _, _) => new(Quayside.Pipeline.Settlements.Settlement.Complete)));
        return worker.AddHandler<Order, ScriptedHandler>("Orders", TestJson.Default.Order);
    }

    private static HandlerPlan Composing(Action<PipelineBuilder<MessageContext>, HandlerServices> compose) => new() { Compose = compose };

    private sealed class Sink(Func<SinkPlan> plan) : ISinkFeature
    {
        public string Name => "Own";

        public IReadOnlyList<SettingsSection> Settings { get; init; } = [];

        public SinkPlan Configure(SettingsReader settings, string route) => plan();
    }

    private sealed class Source(Func<SourcePlan> plan) : ISourceFeature
    {
        public string Name => "Own";

        public IReadOnlyList<SettingsSection> Settings => [];

        public SourcePlan Configure(SettingsReader settings, string route) => plan();
    }

    private sealed class Handler(Func<HandlerPlan> plan) : IHandlerFeature
    {
        public string Name => "Own";

        public IReadOnlyList<SettingsSection> Settings => [];

        public SinkKind Writes => SinkKind.None;

        public HandlerPlan Configure(SettingsReader settings, string route) => plan();
    }

    private sealed class Idle : Quayside.Pipeline.Behaviors.ITerminator<MessageContext>
    {
        public ValueTask InvokeAsync(MessageContext context) => default;
    }

    private sealed class Unchecked : IObjectSink, IMessageSource
    {
        public string? Problem => null;

        public Task CheckAsync(CancellationToken cancellationToken) => NoTask;

        public ValueTask<SinkResult> StoreAsync(ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, CancellationToken cancellationToken) =>
            throw new NotSupportedException();

        public string Locate(string key) => key;

        public Task ReceiveAsync(IMessageIntake intake, CancellationToken stopReceiving) => throw new NotSupportedException();

        public Task CloseAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public ValueTask DisposeAsync() => default;
    }
}
