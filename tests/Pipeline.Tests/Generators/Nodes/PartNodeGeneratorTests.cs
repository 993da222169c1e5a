namespace Pipeline.Tests.Generators.Nodes;

/// <summary>Which part types get nodes, and the names of the nodes.</summary>
public sealed class PartNodeGeneratorTests
{
    [Fact]
    public void Generate_EachContract_EntersANode()
    {
        GeneratedSample sample = GeneratedSample.Of(
            """
            namespace Samples;
            internal sealed class S : IStep<Ctx>;
            internal sealed class B : IBehavior<Ctx, Ctx> { public ValueTask InvokeAsync(Ctx context, Next<Ctx> next) => next.InvokeAsync(context); }
            internal sealed class C : IBehavior<Ctx, Inner> { public ValueTask InvokeAsync(Ctx context, Next<Inner> next) => next.InvokeAsync(new()); }
            internal sealed class F : IFork<Ctx, Inner> { public ValueTask InvokeAsync(Ctx context, Next<Inner> next) => next.InvokeAsync(new()); }
            internal sealed class T : ITerminator<Inner> { public ValueTask InvokeAsync(Inner context) => default; }
            """);

        sample.Registrations.ShouldBe(
            ["AddBehavior<B, Ctx, Ctx>", "AddBehavior<C, Ctx, Inner>", "AddBehavior<F, Ctx, Inner>", "AddStep<S, Ctx>", "AddTerminator<T, Inner>"]);
        sample.NodeNames.ShouldBe(
            ["Samples_B_BehaviorNode", "Samples_C_BehaviorNode", "Samples_F_BehaviorNode", "Samples_S_StepNode", "Samples_T_TerminatorNode"]);
    }

    [Fact]
    public void Generate_NoParts_WritesNothing() => GeneratedSample.Of("public interface IStep<T>; public sealed class S : IStep<int>;").Text.ShouldBeEmpty();

    [Fact]
    public void Generate_TypesThatCannotHaveANode_AreLeftOut() => GeneratedSample.Of(
        """
        namespace Samples;
        public abstract class Abstract : IStep<Ctx>;
        public struct Struct : IStep<Ctx>;
        public record struct RecordStruct : IStep<Ctx>;
        public interface IMore : IStep<Ctx>;
        public sealed class Open<T> : IStep<Ctx>;
        file sealed class FileLocal : IStep<Ctx>;
        public class Outer
        {
            private sealed class Private : IStep<Ctx>;
            protected sealed class Protected : IStep<Ctx>;
            private sealed class Hidden : Quayside.Pipeline.Contexts.PipelineContext;
            private class Deep { public sealed class InPrivate : IStep<Ctx>; }
            private sealed class OnHidden : IStep<Hidden>;
            object[] Use() => [new Open<Private>(), new Open<Hidden>(), new Private(), new OnHidden(), new Deep.InPrivate()];
            object Make<T>() => new Open<T>();
        }
        """).Text.ShouldBeEmpty();

    [Fact]
    public void Generate_NestedGlobalRecordAndDerived_EnterNodes() => GeneratedSample.Of(
        """
        internal sealed class Global : IStep<Ctx>;
        internal sealed record Record(int Limit) : IStep<Ctx>;
        public class Outer
        {
            public sealed class Public : IStep<Ctx>;
            internal sealed class Internal : IStep<Ctx>;
            protected internal sealed class Both : IStep<Ctx>;
        }
        public class Base : IStep<Ctx>;
        public sealed class Derived : Base;
        public partial class Partial : IStep<Ctx>;
        public partial class Partial : System.IDisposable { public void Dispose() { } }
        """).Registrations.ShouldBe(
        [
            "AddStep<Base, Ctx>", "AddStep<Derived, Ctx>", "AddStep<Global, Ctx>", "AddStep<Outer.Both, Ctx>", "AddStep<Outer.Internal, Ctx>",
            "AddStep<Outer.Public, Ctx>", "AddStep<Partial, Ctx>", "AddStep<Record, Ctx>",
        ]);

    [Theory]
    [InlineData("object o = new Part<P1>();")]
    [InlineData("Part<P1> o = new();")]
    [InlineData("object o = System.Linq.Enumerable.Empty<Part<P1>>();")]
    [InlineData("void M(Part<P1>[] parts) { }")]
    [InlineData("object o = typeof(Part<P1>);")]
    public void Generate_ClosedConstructionNamedAnywhere_EntersANode(string use) => GeneratedSample.Of(
        $$"""
        namespace Samples;
        public readonly struct P1;
        public sealed class Part<T> : IStep<Ctx> where T : struct;
        public class User { {{use}} }
        """).Registrations.ShouldBe(["AddStep<Part<P1>, Ctx>"]);

    [Fact]
    public void Generate_ConstructionsOfManyKinds_EachOnce()
    {
        GeneratedSample sample = GeneratedSample.Of(
            """
            namespace Samples;
            using Alias = Part<Part<int>>;
            public sealed class Part<T> : IStep<Ctx>;
            public sealed class Retry<TContext> : IBehavior<TContext, TContext> where TContext : Quayside.Pipeline.Contexts.PipelineContext
            {
                public ValueTask InvokeAsync(TContext context, Next<TContext> next) => next.InvokeAsync(context);
            }
            public class Generic<T> { public sealed class Nested<U> : IStep<Ctx>; }
            public class User
            {
                Alias _a = new();
                object[] _more = [new Part<int[]>(), new Part<string>(), new Part<(int, string)>(), new Generic<int>.Nested<long>(), new Retry<Ctx>(), new Retry<Inner>(), new Retry<Ctx>()];
                Part<string?>? Nullable { get; set; }
            }
            """);

        sample.Registrations.ShouldBe(
        [
            "AddStep<Generic<int>.Nested<long>, Ctx>", "AddStep<Part<(int, string)>, Ctx>", "AddStep<Part<Part<int>>, Ctx>", "AddStep<Part<int>, Ctx>",
            "AddStep<Part<int[]>, Ctx>", "AddStep<Part<string>, Ctx>", "AddBehavior<Retry<Ctx>, Ctx, Ctx>", "AddBehavior<Retry<Inner>, Inner, Inner>",
        ]);
        sample.NodeNames.ShouldContain("Samples_Retry_Samples_Inner_BehaviorNode");
    }

    [Fact]
    public void Generate_SeveralContracts_ANodeEach()
    {
        GeneratedSample sample = GeneratedSample.Of(
            """
            namespace Samples;
            public sealed class All : IStep<Ctx>, IStep<Inner>, IBehavior<Ctx, Inner>, ITerminator<Inner>
            {
                public ValueTask<StepOutcome> BeforeAsync(Ctx context) => default;
                public ValueTask AfterAsync(Inner context) => default;
                public ValueTask InvokeAsync(Ctx context, Next<Inner> next) => default;
                public ValueTask InvokeAsync(Inner context) => default;
            }
            """);

        sample.Registrations.ShouldBe(["AddBehavior<All, Ctx, Inner>", "AddStep<All, Ctx>", "AddStep<All, Inner>", "AddTerminator<All, Inner>"]);
        sample.NodeNames.ShouldBe(
            ["Samples_All_BehaviorNode", "Samples_All_Samples_Ctx_StepNode", "Samples_All_Samples_Inner_StepNode", "Samples_All_TerminatorNode"]);
        sample.Node("Samples_All_Samples_Ctx_StepNode").ShouldNotContain("AfterAsync");
        sample.Node("Samples_All_Samples_Inner_StepNode").ShouldNotContain("BeforeAsync");
    }

    [Fact]
    public void Generate_NamesThatCollide_StayUniqueInAnyOrderOfTheFiles()
    {
        string[] sources =
        [
            "namespace A { public class B_C : IStep<Ctx>; }",
            "namespace A_B { public class C : IStep<Ctx>; }",
            "namespace A.B { public class C : IStep<Ctx>; }",
        ];

        GeneratedSample sample = GeneratedSample.Of(sources);

        sample.NodeNames.ShouldBe(["A_B_C_StepNode", "A_B_C_StepNode2", "A_B_C_StepNode3"]);
        GeneratedSample.Of(sources.Reverse()).Text.ShouldBe(sample.Text);
    }

    [Fact]
    public void Generate_KeywordsAndLetters_Compile() => GeneratedSample.Of(
        """
        namespace @namespace.@int;
        public sealed class @event : IStep<@class>;
        public sealed class @class : Quayside.Pipeline.Contexts.PipelineContext;
        public sealed class Größe<@struct> : ITerminator<@class> { public ValueTask InvokeAsync(@class @in) => default; object o = new Größe<@event>(); }
        """).NodeNames.ShouldBe(["namespace_int_Größe_namespace_int_event_TerminatorNode", "namespace_int_event_StepNode"], ignoreOrder: true);

    [Fact]
    public void Generate_NameTooLong_IsCutAndStaysUnique()
    {
        string Nested(int depth, string leaf) => depth == 0 ? leaf : $"Successor<{Nested(depth - 1, leaf)}>";

        GeneratedSample sample = GeneratedSample.Of(
            $$"""
            namespace Samples;
            public readonly struct Successor<T>;
            public sealed class Part<T> : IStep<Ctx>;
            public class User { object[] o = [new Part<{{Nested(60, "int")}}>(), new Part<{{Nested(61, "int")}}>()]; }
            """);

        sample.NodeNames.Count().ShouldBe(2);
        sample.NodeNames.ShouldBeUnique();
        sample.NodeNames.ShouldAllBe(name => name.Length < 450);
    }

    [Fact]
    public void Generate_ObsoleteAndExperimentalParts_NoWarnings() => GeneratedSample.Of(
        """
        namespace Samples;
        [Obsolete] public sealed class Old : IStep<Ctx>;
        [Obsolete("use another")] public sealed class Older : ITerminator<Ctx> { [Obsolete] public ValueTask InvokeAsync(Ctx context) => default; }
        [Obsolete("gone", error: true)] public sealed class Gone : IStep<Ctx>;
        [System.Diagnostics.CodeAnalysis.Experimental("TRY001")] public sealed class New : IStep<Ctx>;
        """).Registrations.ShouldBe(["AddStep<New, Ctx>", "AddStep<Old, Ctx>", "AddTerminator<Older, Ctx>"]);

    [Fact]
    public void Generate_NullableOffOrOn_Compiles() => GeneratedSample.Of(
        """
        #nullable disable
        namespace Samples;
        public sealed class Off : IStep<Ctx> { public ValueTask<ErrorOutcome> OnErrorAsync(Ctx context, Exception exception) => default; }
        """,
        """
        #nullable enable
        namespace Samples;
        public sealed class On : IStep<Ctx> { public ValueTask<ErrorOutcome> OnErrorAsync(Ctx? context, Exception? exception) => default; }
        """).Registrations.ShouldBe(["AddStep<Off, Ctx>", "AddStep<On, Ctx>"]);

    [Fact]
    public void Generate_NamesOfTheLibraryInTheSamplesOwnNamespace_Compile() => GeneratedSample.Of(
        """
        namespace Samples.Pipeline
        {
            public class Behaviors;
            public class ValueTask;
            public sealed class Next : global::Quayside.Pipeline.Behaviors.IStep<Ctx>;
        }
        """).Registrations.ShouldBe(["AddStep<Pipeline.Next, Ctx>"]);
}
