using System.Runtime.CompilerServices;
using System.Text.RegularExpressions;
using Pipeline.Behaviors;
using Pipeline.Execution;
using Pipeline.Tests.Parts;

namespace Pipeline.Tests.Execution;

/// <summary>What somebody reads who debugs a failure behind a suspension, approved as text: a file a form under Approved.</summary>
public abstract partial class PipelineFormContract
{
    [Fact]
    public async Task StackTrace_InnermostThrowsAfterAHop_AsApproved()
    {
        IPipeline<OuterContext> pipeline = ChainBuilding.Chain()
            .Step<OuterContext>(new QuietStep())
            .Step<OuterContext>(new QuietStep())
            .Behavior(new AwaitingPart())
            .Step<OuterContext>(new QuietStep())
            .Step<OuterContext>(new QuietStep())
            .Terminator<OuterContext>(new FailingPart())
            .Build(Form);

        Exception exception = (await pipeline.RunAsync(new OuterContext())).ShouldNotBeNull();

        IEnumerable<string> lines = exception.StackTrace!.ReplaceLineEndings("\n").Split('\n').Select(line => Position().Replace(line, string.Empty).Trim());
        string.Concat(lines.Select(line => $"{line}\n")).ShouldBeApproved($"stack-trace.{Form}");
    }

    [Fact]
    public async Task StackTrace_InnermostThrowsAtOnce_NamesTheMethodThatThrew()
    {
        IPipeline<OuterContext> pipeline = ChainBuilding.Chain()
            .Step<OuterContext>(new QuietStep())
            .Behavior(new AwaitingPart())
            .Terminator<OuterContext>(new FailingPart { Hops = false })
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

    private sealed class FailingPart : ITerminator<OuterContext>
    {
        public bool Hops { get; init; } = true;

        [MethodImpl(MethodImplOptions.NoInlining)]
        public async ValueTask InvokeAsync(OuterContext context)
        {
            if (Hops)
            {
                await Task.Yield();
            }

            throw new PartException("the sink refused");
        }
    }
}
