using System.Runtime.CompilerServices;
using System.Text.RegularExpressions;
using Pipeline.Tests.Parts;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Execution;

namespace Pipeline.Tests.Execution;

/// <summary>The stack trace of a failure after a suspension, approved as text: a file per form under Approved.</summary>
public abstract partial class PipelineFormContract
{
    [Fact]
    public async Task StackTrace_InnermostThrowsAfterAHop_AsApproved()
    {
        TaskCompletionSource hop = new(TaskCreationOptions.RunContinuationsAsynchronously);
        IPipeline<OuterContext> pipeline = ChainBuilding.Chain()
            .Step<OuterContext>(new QuietStep())
            .Step<OuterContext>(new QuietStep())
            .Behavior(new AwaitingPart())
            .Step<OuterContext>(new QuietStep())
            .Step<OuterContext>(new QuietStep())
            .Terminator<OuterContext>(new FailingPart(hop.Task))
            .Build(Form);

        // Resumed once every part waits: a part that completes earlier leaves other frames.
        Task<Exception?> running = pipeline.RunAsync(new OuterContext());
        hop.SetResult();
        Exception exception = (await running).ShouldNotBeNull();

        IEnumerable<string> lines = exception.StackTrace!.ReplaceLineEndings("\n").Split('\n').Select(line => Position().Replace(line, string.Empty).Trim());
        string.Concat(lines.Select(line => $"{line}\n")).ShouldBeApproved($"stack-trace.{Form}");
    }

    [Fact]
    public async Task StackTrace_InnermostThrowsSynchronously_NamesTheMethodThatThrew()
    {
        IPipeline<OuterContext> pipeline = ChainBuilding.Chain()
            .Step<OuterContext>(new QuietStep())
            .Behavior(new AwaitingPart())
            .Terminator<OuterContext>(new FailingPart(Task.CompletedTask))
            .Build(Form);

        Exception exception = (await pipeline.RunAsync(new OuterContext())).ShouldNotBeNull();

        exception.StackTrace!.ShouldContain($"{nameof(FailingPart)}.{nameof(FailingPart.InvokeAsync)}");
    }

    [GeneratedRegex(" in .*:line [0-9]+")]
    private static partial Regex Position();

    private sealed class QuietStep : IStep<OuterContext>;

    private sealed class AwaitingPart : IBehavior<OuterContext, OuterContext>
    {
        [MethodImpl(MethodImplOptions.NoInlining)]
        public async ValueTask InvokeAsync(OuterContext context, Next<OuterContext> next) => await next.InvokeAsync(context);
    }

    private sealed class FailingPart(Task hop) : ITerminator<OuterContext>
    {
        [MethodImpl(MethodImplOptions.NoInlining)]
        public async ValueTask InvokeAsync(OuterContext context)
        {
            await hop;
            throw new PartException("the sink refused");
        }
    }
}
