using System.Collections.Concurrent;
using Messaging.Tests.Handlers.Typed;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Hosting;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Contexts;
using Quayside.Pipeline.Execution;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Handlers.Parts;

/// <summary>Steps and behaviours that code adds and the configuration orders or disables.</summary>
[Collection(OneThreadCollection.Name)]
public sealed class RoutePartTests
{
    private readonly ConcurrentQueue<string> _trace = new();

    public static TheoryData<string> Forms => [.. PipelineForm.All.Select(form => form.Name)];

    [Theory]
    [MemberData(nameof(Forms))]
    public async Task Parts_WithoutTheSetting_RunInTheOrderAdded(string form)
    {
        await using HandlerRoute route = await HandlerRoute.StartAsync(Add, $"Pipeline:Form={form}");

        await route.PublishAsync("""{"id":"a"}""");
        await route.SettleAllAsync();

        _trace.ShouldBe(["first in", "around in", "second in", "handled", "second out", "around out", "first out"]);
    }

    [Fact]
    public async Task Parts_ByTheSetting_AreOrderedAndTurnedOff()
    {
        await using HandlerRoute route = await HandlerRoute.StartAsync(Add, "Pipeline:Parts=second, FirstStep");

        await route.PublishAsync("""{"id":"a"}""");
        await route.SettleAllAsync();

        _trace.ShouldBe(["second in", "first in", "handled", "first out", "second out"]);
    }

    [Theory]
    [InlineData("Pipeline:Parts=None", "TracingBehavior,RetryBehavior,ScriptedHandler")]
    [InlineData("Pipeline:Parts=None;Recoverability:Attempts=1", "TracingBehavior,ScriptedHandler")]
    [InlineData("Pipeline:Parts=", "TracingBehavior,FirstStep,Around,second,RetryBehavior,ScriptedHandler")]
    [InlineData("Routes:orders:Pipeline:Parts=Around", "TracingBehavior,Around,RetryBehavior,ScriptedHandler")]
    public async Task Description_AddedParts_AreInOrder(string settings, string expected)
    {
        await using HandlerRoute route = await HandlerRoute.StartAsync(Add, settings.Split(';', StringSplitOptions.RemoveEmptyEntries));

        string[] lines = route.Route.Pipeline.Description.Split('\n', StringSplitOptions.RemoveEmptyEntries);

        string.Join(',', lines.Skip(2).Select(line => line.Split(' ', StringSplitOptions.RemoveEmptyEntries)[2])).ShouldBe(expected);
    }

    [Theory]
    [InlineData("", "5", "5")]
    [InlineData("Limits:Max=7", "7", "5")]
    [InlineData("Limits:Max=7;Routes:orders:Limits:Max=9;Ceilings:Max=8", "9", "8")]
    public async Task Settings_OfAStepAndABehavior_AreThoseOfItsNameAndRoute(string settings, string limit, string ceiling)
    {
        await using HandlerRoute route = await HandlerRoute.StartAsync(
            worker =>
            {
                worker.Services.AddSingleton(_trace);
                worker.AddStep<LimitedStep, LimitOptions>("Limits").AddBehavior<LimitedBehavior, LimitOptions>("Ceilings");
                Handle(worker);
            },
            settings.Split(';', StringSplitOptions.RemoveEmptyEntries));

        await route.PublishAsync("""{"id":"a"}""");
        await route.SettleAllAsync();

        _trace.ShouldBe([$"step {limit}", $"behavior {ceiling}", "handled"]);
    }

    [Theory]
    [InlineData("Limits:Max=0", "Limits:Max")]
    [InlineData("Limits:Maxx=1", "Did you mean Max?")]
    [InlineData("Routes:orders:Limits:Max=x", "Routes:orders:Limits:Max")]
    [InlineData("Routes:orders:Limits:Max=0;Pipeline:Parts=None", "Routes:orders:Limits:Max")]
    [InlineData("Routes:orders:Limit:Max=1", "Routes:orders:Limit")]
    public void Settings_OfAStepInvalid_AreErrors(string settings, string expected) => HandlerRoute.Plan(
        worker =>
        {
            worker.AddStep<LimitedStep, LimitOptions>("Limits");
            Handle(worker);
        },
        settings.Split(';')).Errors.ShouldHaveSingleItem().ToString().ShouldContain(expected);

    [Fact]
    public void Settings_OfAStepInAReservedSection_AreAnError() => HandlerRoute.Plan(
        worker =>
        {
            worker.AddStep<LimitedStep, LimitOptions>("Routes");
            Handle(worker);
        }).Errors.ShouldContain(error => error.ToString().Contains("reserved for routes and features"));

    [Theory]
    [InlineData(
        "Pipeline:Parts=FirstStp",
        "Pipeline:Parts = \"FirstStp\": is not a part added by AddStep or AddBehavior; the worker's own parts and those of handlers always run, "
            + "each in its stage. Did you mean FirstStep?")]
    [InlineData(
        "Pipeline:Parts=ArchiveConnector",
        "Pipeline:Parts = \"ArchiveConnector\": is not a part added by AddStep or AddBehavior; the worker's own parts and those of handlers always run, each "
            + "in its stage. Known here: FirstStep, Around, second.")]
    [InlineData(
        "Routes:orders:Pipeline:Parts=second,second", "Routes:orders:Pipeline:Parts = \"second\": is named twice. The part would run twice per message.")]
    public void Parts_Invalid_AreErrors(string setting, string error) =>
        HandlerRoute.Plan(Add, setting).Errors.ShouldHaveSingleItem().ToString().ShouldBe(error);

    [Fact]
    public void Parts_TwoOfOneName_AreAnError() =>
        HandlerRoute.Plan(worker =>
        {
            Add(worker);
            worker.AddStep<SecondStep>("around");
        }).Errors.ShouldHaveSingleItem().ToString().ShouldBe(
            $"Pipeline:Parts: the part around is added by {typeof(Around).FullName} and by {typeof(SecondStep).FullName}: "
                + "give one of them another name. The name would be ambiguous.");

    [Theory]
    [InlineData("None")]
    [InlineData("RetryBehavior")]
    [InlineData("a part")]
    public void Parts_WithANameInUse_AreAnError(string name) =>
        HandlerRoute.Plan(worker =>
        {
            Add(worker);
            worker.AddStep<SecondStep>(name);
        }).Errors.ShouldHaveSingleItem().ToString().ShouldStartWith($"Pipeline:Parts: '{name}' cannot be the name of {typeof(SecondStep).FullName}");

    [Fact]
    public async Task Step_Decides_TheHandlerIsNotCalled()
    {
        ScriptedHandler handler = new((_, _, _) => new(Settlement.Complete));
        await using HandlerRoute route = await HandlerRoute.StartAsync(worker => worker
            .With(services => services.AddSingleton(handler))
            .AddStep<RefusingStep>()
            .AddHandler<Order, ScriptedHandler>("Orders", TestJson.Default.Order));

        await route.PublishAsync("""{"id":"a","test":true}""");
        await route.SettleAllAsync();

        handler.Calls.ShouldBeEmpty();
        route.DeadLetters.Messages.ShouldHaveSingleItem().Reason.ShouldBe("test-message");
    }

    private void Add(IMessageWorkerBuilder worker) => worker
        .With(services => services.AddSingleton(_trace).AddSingleton(new ScriptedHandler((_, _, _) =>
        {
            _trace.Enqueue("handled");
            return new(Settlement.Complete);
        })))
        .AddStep<FirstStep>()
        .AddBehavior<Around>()
        .AddStep<SecondStep>("second")
        .AddHandler<Order, ScriptedHandler>("Orders", TestJson.Default.Order);

    private void Handle(IMessageWorkerBuilder worker) => worker
        .With(services => services.AddSingleton(new ScriptedHandler((_, _, _) =>
        {
            _trace.Enqueue("handled");
            return new(Settlement.Complete);
        })))
        .AddHandler<Order, ScriptedHandler>("Orders", TestJson.Default.Order);

    private sealed class LimitOptions
    {
        [Setting("The most", Min = "1", Max = "9")]
        public int Max { get; set; } = 5;
    }

    private sealed class LimitedStep(LimitOptions options, ConcurrentQueue<string> trace) : IStep<MessageContext>
    {
        public ValueTask<StepOutcome> BeforeAsync(MessageContext context)
        {
            trace.Enqueue($"step {options.Max}");
            return new(StepOutcome.Continue);
        }
    }

    private sealed class LimitedBehavior(LimitOptions options, ConcurrentQueue<string> trace) : IBehavior<MessageContext, MessageContext>
    {
        public ValueTask InvokeAsync(MessageContext context, Next<MessageContext> next)
        {
            trace.Enqueue($"behavior {options.Max}");
            return next.InvokeAsync(context);
        }
    }

    private sealed class FirstStep(ConcurrentQueue<string> trace) : IStep<MessageContext>
    {
        public ValueTask<StepOutcome> BeforeAsync(MessageContext context)
        {
            trace.Enqueue("first in");
            return new(StepOutcome.Continue);
        }

        public ValueTask AfterAsync(MessageContext context)
        {
            trace.Enqueue("first out");
            return default;
        }
    }

    // Written for any stage, like a step that needs only the settlement.
    private sealed class SecondStep(ConcurrentQueue<string> trace) : IStep<PipelineContext>
    {
        public async ValueTask<StepOutcome> BeforeAsync(PipelineContext context)
        {
            await Task.Yield();
            trace.Enqueue("second in");
            return StepOutcome.Continue;
        }

        public ValueTask AfterAsync(PipelineContext context)
        {
            trace.Enqueue("second out");
            return default;
        }
    }

    private sealed class Around(ConcurrentQueue<string> trace) : IBehavior<MessageContext, MessageContext>
    {
        public async ValueTask InvokeAsync(MessageContext context, Next<MessageContext> next)
        {
            trace.Enqueue("around in");
            await next.InvokeAsync(context);
            trace.Enqueue("around out");
        }
    }

    private sealed class RefusingStep : IStep<MessageContext>
    {
        public ValueTask<StepOutcome> BeforeAsync(MessageContext context)
        {
            if (context.Message.Body.Span.IndexOf("\"test\":true"u8) < 0)
            {
                return new(StepOutcome.Continue);
            }

            context.Settlement = Settlement.DeadLetter("test-message", "Messages of tests are not processed.");
            return new(StepOutcome.Stop);
        }
    }
}
