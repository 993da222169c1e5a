using System.Text;
using Messaging.Tests.Handlers.Typed;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Hosting;
using Quayside.Messaging.Sinks;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Building;
using Quayside.Pipeline.Contexts;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Recoverability;

/// <summary>An exception of any part is logged with its type, its stack and the part, and its dead letter keeps it.</summary>
public sealed class PartExceptionTests
{
    private static readonly byte[] Body = Encoding.UTF8.GetBytes("""{"id":"a","MessageId":"a"}""");

    public static TheoryData<string, bool> Parts
    {
        get
        {
            TheoryData<string, bool> parts = [];
            foreach (string part in Cases.Keys)
            {
                parts.Add(part, true);
                parts.Add(part, false);
            }

            return parts;
        }
    }

    private static Dictionary<string, (Action<IMessageWorkerBuilder, Func<Task>> Add, string[] Settings, string Part)> Cases { get; } =
        new(StringComparer.Ordinal)
        {
            ["step"] = (static (worker, fail) => Handle(worker.With(fail).AddStep<FailingStep>()), ["Routes:orders:Handler=Orders"], "the step FailingStep"),
            ["named step"] =
                (static (worker, fail) => Handle(worker.With(fail).AddStep<FailingStep>("validate")), ["Routes:orders:Handler=Orders"], "the step validate"),
            ["step, after"] =
                (static (worker, fail) => Handle(worker.With(fail).AddStep<LeavingStep>()), ["Routes:orders:Handler=Orders"], "the step LeavingStep"),
            ["behaviour"] = (
                static (worker, fail) => Handle(worker.With(fail).AddBehavior<FailingBehavior>()), ["Routes:orders:Handler=Orders"],
                "the behavior FailingBehavior"),
            ["connector"] = (
                static (
                    worker,
                    fail) => worker.AddHandler(new PartsFeature(builder => builder.Connector(new FailingConnector(fail)).Terminator(new InnerTerminator()))),
                    ["Routes:orders:Handler=Parts"], "the connector FailingConnector"),
            ["terminator"] = (
                static (worker, fail) => worker.AddHandler(new PartsFeature(builder => builder.Terminator(new FailingTerminator(fail)))),
                ["Routes:orders:Handler=Parts"], "the terminator FailingTerminator"),
            ["handler"] = (static (worker, fail) =>
            {
                worker.Services.AddSingleton(new ScriptedHandler(async (_, _, _) =>
                {
                    await fail();
                    return Settlement.Complete;
                }));
                worker.AddHandler<Order, ScriptedHandler>("Orders", TestJson.Default.Order);
            }, ["Routes:orders:Handler=Orders"], "the handler ScriptedHandler"),
        };

    [Theory]
    [MemberData(nameof(Parts))]
    public async Task Exception_OfAPart_IsLoggedWithTypeStackAndPartAndKeptInTheDeadLetter(string part, bool late)
    {
        (Action<IMessageWorkerBuilder, Func<Task>> add, string[] settings, string name) = Cases[part];
        await using TestWorker worker = await StartAsync(builder => add(builder, late ? ThrowLateAsync : ThrowAsync), settings);

        Settlement settlement = await worker.SendAsync(Body);

        settlement.Reason.ShouldBe("unhandled-exception");
        settlement.ExceptionType.ShouldBe(typeof(InvalidCastException).FullName);
        LogEntry line =
            worker.Log.Entries.Where(entry => entry.Id.Id is 5007 or 5301).ShouldHaveSingleItem("The first is logged, the redelivery only counted.");
        line.Level.ShouldBe(LogLevel.Error);
        line.Text.ShouldContain(name);
        line.Exception.ShouldBeOfType<InvalidCastException>().StackTrace.ShouldNotBeNull().ShouldContain(nameof(ThrowAsync));
        DeadLetter record = worker.DeadLetters.Records.ShouldHaveSingleItem();
        record.ExceptionType.ShouldBe(typeof(InvalidCastException).FullName);
        record.Exception.ShouldNotBeNull().ShouldContain(nameof(ThrowAsync));
        record.Exception.ShouldStartWith("System.InvalidCastException: no customer\\u001b[31m\n");
        record.FirstSeen.ShouldBeLessThan(record.LastSeen, "It was delivered twice.");
    }

    [Fact]
    public async Task Exceptions_ManyOfOneKindAndOneOfAnother_AreLoggedOnceEach()
    {
        await using TestWorker worker = await StartAsync(
            builder => Handle(builder.With(() => Task.CompletedTask).AddStep<ChoosingStep>()), ["Routes:orders:Handler=Orders"]);

        SentMessage[] messages = [.. Enumerable.Range(0, 200).Select(number => worker.Send(Body, number == 150 ? "rare" : $"m{number}"))];
        foreach (SentMessage message in messages)
        {
            await worker.WhenSettledAsync(message);
        }

        LogEntry[] lines = [.. worker.Log.Entries.Where(entry => entry.Id.Id == 5007)];
        lines.Count(line => line.Exception is TimeoutException).ShouldBe(1);
        lines.Count(line => line.Exception is InvalidCastException).ShouldBeInRange(1, 7);
    }

    private static Task ThrowAsync() => throw new InvalidCastException("no customer\u001b[31m");

    private static async Task ThrowLateAsync()
    {
        await Task.Yield();
        await ThrowAsync();
    }

    private static void Handle(IMessageWorkerBuilder worker)
    {
        worker.Services.AddSingleton(new ScriptedHandler((_, _, _) => new(Settlement.Complete)));
        worker.AddHandler<Order, ScriptedHandler>("Orders", TestJson.Default.Order);
    }

    private static async Task<TestWorker> StartAsync(Action<IMessageWorkerBuilder> add, string[] settings) =>
        await TestWorker.StartAsync(
            add,
            ((string[])[
                .. settings, "Recoverability:MaxDeliveries=2", "Recoverability:Attempts=1", "Recoverability:BackoffBase=20ms",
                "Recoverability:BackoffCap=20ms"])
                .Select(setting => KeyValuePair.Create(setting[..setting.IndexOf('=')], (string?)setting[(setting.IndexOf('=') + 1)..])));

    private sealed class FailingStep(Func<Task> fail) : IStep<MessageContext>
    {
        public async ValueTask<StepOutcome> BeforeAsync(MessageContext context)
        {
            await fail();
            return StepOutcome.Continue;
        }
    }

    private sealed class LeavingStep(Func<Task> fail) : IStep<MessageContext>
    {
        public async ValueTask AfterAsync(MessageContext context) => await fail();
    }

    private sealed class ChoosingStep : IStep<MessageContext>
    {
        public ValueTask<StepOutcome> BeforeAsync(MessageContext context) =>
            Encoding.UTF8.GetString(context.Message.SourceId.Span) == "rare" ? throw new TimeoutException("rare") : throw new InvalidCastException("often");
    }

    private sealed class FailingBehavior(Func<Task> fail) : IBehavior<MessageContext, MessageContext>
    {
        public async ValueTask InvokeAsync(MessageContext context, Next<MessageContext> next)
        {
            await fail();
            await next.InvokeAsync(context);
        }
    }

    private sealed class InnerContext : PipelineContext;

    private sealed class FailingConnector(Func<Task> fail) : IBehavior<MessageContext, InnerContext>
    {
        public async ValueTask InvokeAsync(MessageContext context, Next<InnerContext> next)
        {
            await fail();
            await next.InvokeAsync(new InnerContext());
        }
    }

    private sealed class InnerTerminator : ITerminator<InnerContext>
    {
        public ValueTask InvokeAsync(InnerContext context) => default;
    }

    private sealed class FailingTerminator(Func<Task> fail) : ITerminator<MessageContext>
    {
        public async ValueTask InvokeAsync(MessageContext context) => await fail();
    }

    private sealed class PartsFeature(Action<PipelineBuilder<MessageContext>> compose) : IHandlerFeature
    {
        public string Name => "Parts";

        public IReadOnlyList<SettingsSection> Settings => [];

        public SinkKind Writes => SinkKind.None;

        public HandlerPlan Configure(SettingsReader settings, string route) => new() { Compose = (builder, _) => compose(builder) };
    }
}

/// <summary>Registers what the parts of these tests do.</summary>
internal static class FailureExtensions
{
    public static IMessageWorkerBuilder With(this IMessageWorkerBuilder worker, Func<Task> fail)
    {
        worker.Services.AddSingleton(fail);
        return worker;
    }
}
