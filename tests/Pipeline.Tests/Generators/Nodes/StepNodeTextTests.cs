namespace Pipeline.Tests.Generators.Nodes;

/// <summary>The code that is generated for each combination of a step's methods, and the code that is not.</summary>
public sealed class StepNodeTextTests
{
    private const string BeforeMethod = "public ValueTask<StepOutcome> BeforeAsync(Ctx context) => default;";
    private const string AfterMethod = "public ValueTask AfterAsync(Ctx context) => default;";
    private const string OnErrorMethod = "public ValueTask<ErrorOutcome> OnErrorAsync(Ctx context, Exception exception) => default;";

    [Theory]
    [InlineData("", false, false, false)]
    [InlineData(BeforeMethod, true, false, false)]
    [InlineData(AfterMethod, false, true, false)]
    [InlineData(OnErrorMethod, false, false, true)]
    [InlineData(BeforeMethod + AfterMethod, true, true, false)]
    [InlineData(BeforeMethod + OnErrorMethod, true, false, true)]
    [InlineData(AfterMethod + OnErrorMethod, false, true, true)]
    [InlineData(BeforeMethod + AfterMethod + OnErrorMethod, true, true, true)]
    public void Generate_Combination_OnlyItsOwnCode(string methods, bool before, bool after, bool onError)
    {
        string node = GeneratedSample.Of($"namespace Samples; public sealed class S : IStep<Ctx> {{ {methods} }}").Node("Samples_S_StepNode");

        node.Contains("_part.BeforeAsync(context)", StringComparison.Ordinal).ShouldBe(before);
        node.Contains("AwaitBeforeAsync", StringComparison.Ordinal).ShouldBe(before);
        node.Contains("_part.AfterAsync(context)", StringComparison.Ordinal).ShouldBe(after);
        node.Contains("_part.OnErrorAsync(context, exception)", StringComparison.Ordinal).ShouldBe(onError);
        node.Contains("HasAfter => false", StringComparison.Ordinal).ShouldBe(!after);
        node.Contains("HasOnError => false", StringComparison.Ordinal).ShouldBe(!onError);
        node.Contains("catch", StringComparison.Ordinal).ShouldBe(onError);
        node.Contains("AwaitRestAsync", StringComparison.Ordinal).ShouldBe(after || onError);
        node.Contains("IsCompleted)", StringComparison.Ordinal).ShouldBe(before || after || onError);
    }

    [Fact]
    public void Generate_MethodOfABaseClass_IsCalledDirectly()
    {
        GeneratedSample sample = GeneratedSample.Of(
            """
            namespace Samples;
            public abstract class First : IStep<Ctx> { public abstract ValueTask<StepOutcome> BeforeAsync(Ctx context); }
            public class Second : First { public override ValueTask<StepOutcome> BeforeAsync(Ctx context) => default; }
            public class Third : Second { public override ValueTask<StepOutcome> BeforeAsync(Ctx context) => default; }
            public class Beside { public ValueTask AfterAsync(Ctx context) => default; }
            public class Adopting : Beside, IStep<Ctx>;
            """);

        sample.Node("Samples_Second_StepNode").ShouldContain("=> _part.BeforeAsync(context);");
        sample.Node("Samples_Third_StepNode").ShouldContain("=> _part.BeforeAsync(context);");
        sample.Node("Samples_Adopting_StepNode").ShouldContain("=> _part.AfterAsync(context);");
    }

    [Fact]
    public void Generate_MethodThatDoesNotImplementTheContract_IsNotCalled() => GeneratedSample.Of(
        """
        namespace Samples;
        public class Base : IStep<Ctx>;
        public sealed class Derived : Base { public ValueTask<StepOutcome> BeforeAsync(Ctx context) => throw new InvalidOperationException(); }
        """).Node("Samples_Derived_StepNode").ShouldNotContain("BeforeAsync");

    [Fact]
    public void Run_MethodsNotReachableByName_AreCalledThroughTheContract()
    {
        GeneratedSample sample = GeneratedSample.Of(
            """
            using System.Collections.Generic;
            using Quayside.Pipeline.Building;
            using Quayside.Pipeline.Execution;
            namespace Samples;
            public static class Program
            {
                public static List<string> Trace { get; } = new();

                public static string Run()
                {
                    IPipeline<Ctx> pipeline = new PipelineBuilder<Ctx>("p")
                        .Step(new Explicit()).Step(new Hiding()).Step(new Overloading()).Step(new ByInterface()).Behavior(new Wrapping()).Terminator(new Last())
                        .Build(PipelineForm.Precompiled);
                    pipeline.InvokeAsync(new Ctx()).GetAwaiter().GetResult();
                    return string.Join(' ', Trace) + pipeline.Description;
                }

                public static T Add<T>(string text, T value) { Trace.Add(text); return value; }
            }
            public sealed class Explicit : IStep<Ctx>
            {
                ValueTask<StepOutcome> IStep<Ctx>.BeforeAsync(Ctx context) => Program.Add("explicit", new ValueTask<StepOutcome>(StepOutcome.Continue));
                public ValueTask<StepOutcome> BeforeAsync(Ctx context) => throw new InvalidOperationException();
            }
            public class Hidden : IStep<Ctx>
            {
                public ValueTask<StepOutcome> BeforeAsync(Ctx context) => Program.Add("hidden", new ValueTask<StepOutcome>(StepOutcome.Continue));
            }
            public sealed class Hiding : Hidden { public new ValueTask<StepOutcome> BeforeAsync(Ctx context) => throw new InvalidOperationException(); }
            public sealed class Overloading : Hidden { public ValueTask<StepOutcome> BeforeAsync(Quayside.Pipeline.Contexts.PipelineContext context) => throw new InvalidOperationException(); }
            public interface IOwn : IStep<Ctx> { ValueTask IStep<Ctx>.AfterAsync(Ctx context) => Program.Add("interface", default(ValueTask)); }
            public sealed class ByInterface : IOwn;
            public sealed class Wrapping : IBehavior<Ctx, Ctx> { ValueTask IBehavior<Ctx, Ctx>.InvokeAsync(Ctx context, Next<Ctx> next) => Program.Add("wrap", next).InvokeAsync(context); }
            public sealed class Last : ITerminator<Ctx> { ValueTask ITerminator<Ctx>.InvokeAsync(Ctx context) => Program.Add("last", default(ValueTask)); }
            """);

        string run = sample.Run();

        run.ShouldStartWith("explicit hidden hidden wrap last interface");
        run.ShouldNotContain("shared node");
        sample.Text.ShouldContain("((global::Quayside.Pipeline.Behaviors.IStep<global::Samples.Ctx>)_part).BeforeAsync(context)");
    }

    [Theory]
    [InlineData("""
        public class Base : IStep<Ctx> { public virtual ValueTask<StepOutcome> BeforeAsync(Ctx context) => default; }
        public class Middle : Base { public ValueTask<StepOutcome> BeforeAsync(Quayside.Pipeline.Contexts.PipelineContext context) => throw new InvalidOperationException(); }
        public sealed class S : Middle, IStep<Ctx> { public override ValueTask<StepOutcome> BeforeAsync(Ctx context) => default; }
        """)]
    [InlineData("""
        public class Base<T> : IStep<T> where T : Quayside.Pipeline.Contexts.PipelineContext
        {
            public ValueTask<StepOutcome> BeforeAsync(T context) => default;
            public ValueTask<StepOutcome> BeforeAsync(Ctx context, int other = 0) => throw new InvalidOperationException();
        }
        public sealed class S : Base<Ctx>;
        """)]
    [InlineData("""
        public sealed class S : IStep<Ctx>
        {
            public ValueTask<StepOutcome> BeforeAsync(Ctx context) => default;
            [System.Runtime.CompilerServices.OverloadResolutionPriority(1)]
            public ValueTask<StepOutcome> BeforeAsync(Quayside.Pipeline.Contexts.PipelineContext context) => throw new InvalidOperationException();
        }
        """)]
    [InlineData("""
        public sealed class S : IStep<Ctx>
        {
            [Obsolete("use the chain", error: true)]
            public ValueTask<StepOutcome> BeforeAsync(Ctx context) => default;
        }
        """)]
    public void Generate_AmbiguousMethodName_IsCalledThroughTheContract(string parts) =>
        GeneratedSample
            .Of($"namespace Samples;\n{parts}")
            .Node("Samples_S_StepNode")
            .ShouldContain("((global::Quayside.Pipeline.Behaviors.IStep<global::Samples.Ctx>)_part).BeforeAsync(context)");

    [Fact]
    public void Run_StepOnABaseContext_KeepsTheSharedNode()
    {
        GeneratedSample sample = GeneratedSample.Of(
            """
            using Quayside.Pipeline.Building;
            using Quayside.Pipeline.Execution;
            namespace Samples;
            public sealed class Derived : Ctx;
            public sealed class S : IStep<Ctx>;
            public sealed class T : ITerminator<Derived> { public ValueTask InvokeAsync(Derived context) => default; }
            public static class Program
            {
                public static string Run() => new PipelineBuilder<Derived>("p").Step<Derived>(new S()).Terminator(new T()).Build(PipelineForm.Precompiled).Description;
            }
            """);

        sample.Registrations.ShouldBe(["AddStep<S, Ctx>", "AddTerminator<T, Derived>"]);
        string[] lines = sample.Run().Split('\n');
        lines.Single(line => line.Contains("shared node", StringComparison.Ordinal)).ShouldContain("step");
    }
}
