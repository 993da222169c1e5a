using FsCheck;
using FsCheck.Fluent;
using Pipeline.Tests.Parts;
using Quayside.Pipeline.Building;
using Quayside.Pipeline.Execution;

namespace Pipeline.Tests.Execution.RandomChains;

/// <summary>A random chain: parts, a connector that forks into several contexts, parts, a terminator. Printed when a property fails.</summary>
internal sealed record ChainSpec(IReadOnlyList<PartSpec> Outer, int Forks, IReadOnlyList<PartSpec> Inner, Deed Terminator)
{
    public static Arbitrary<ChainSpec> Arbitrary { get; } = Arb.From(Generator(), Shrink);

    public IPipeline<OuterContext> Build(PipelineForm form)
    {
        PipelineBuilder<OuterContext> builder = new("random");
        for (int i = 0; i < Outer.Count; i++)
        {
            Add<OuterContext>(builder, Outer[i], $"o{i}");
        }

        builder.Connector(new RandomFork(Forks));
        for (int i = 0; i < Inner.Count; i++)
        {
            Add<InnerContext>(builder, Inner[i], $"i{i}");
        }

        return builder.Terminator<InnerContext>(new RandomTerminator(Terminator)).Build(form);
    }

    public override string ToString() =>
        $"{Environment.NewLine}outer: {string.Join(", ", Outer)}{Environment.NewLine}forks: {Forks}{Environment.NewLine}inner: "
            + $"{string.Join(", ", Inner)}{Environment.NewLine}terminator: {Terminator}";

    private static void Add<TContext>(PipelineBuilder<OuterContext> builder, PartSpec spec, string name)
        where TContext : TracedContext
    {
        if (spec.Shape is Shape.Step or Shape.StoppingStep or Shape.HandlingStep)
        {
            builder.Step<TContext>(new RandomStep(name, spec), name);
        }
        else
        {
            builder.Behavior(new RandomBehavior<TContext>(name, spec), name);
        }
    }

    private static Gen<ChainSpec> Generator()
    {
        Gen<Deed> deeds =
            from timing in Gen.Elements(Part.Timings)
            from fault in Gen.Frequency((9, Gen.Constant(0)), (1, Gen.Choose(1, 4)))
            select new Deed(timing, fault);
        Gen<Deed> lastDeeds =
            from timing in Gen.Elements(Part.Timings)
            from fault in Gen.Frequency((2, Gen.Constant(0)), (1, Gen.Choose(1, 4)))
            select new Deed(timing, fault);
        Gen<Shape> shapes = Gen.Frequency(
            (8, Gen.Constant(Shape.Step)),
            (1, Gen.Constant(Shape.StoppingStep)),
            (3, Gen.Constant(Shape.HandlingStep)),
            (6, Gen.Constant(Shape.Behavior)),
            (4, Gen.Constant(Shape.PassingBehavior)),
            (1, Gen.Constant(Shape.SkippingBehavior)),
            (1, Gen.Constant(Shape.TwiceBehavior)),
            (2, Gen.Constant(Shape.RetryingBehavior)),
            (2, Gen.Constant(Shape.CatchingBehavior)));
        Gen<PartSpec> parts =
            from shape in shapes
            from before in deeds
            from after in deeds
            from error in deeds
            from decides in Gen.Frequency((3, Gen.Constant(false)), (1, Gen.Constant(true)))
            select new PartSpec(shape, before, after, error, decides);
        return
            from outer in PartLists(parts)
            from forks in Gen.Frequency((4, Gen.Constant(1)), (1, Gen.Constant(0)), (2, Gen.Choose(2, 3)))
            from inner in PartLists(parts)
            from terminator in lastDeeds
            select new ChainSpec(outer, forks, inner, terminator);
    }

    private static Gen<PartSpec[]> PartLists(Gen<PartSpec> parts) =>
        from count in Gen.Choose(0, 8)
        from list in parts.ArrayOf(count)
        select list;

    /// <summary>Shrinks a failing chain to the fewest parts that still fail.</summary>
    private static IEnumerable<ChainSpec> Shrink(ChainSpec chain)
    {
        for (int i = 0; i < chain.Outer.Count; i++)
        {
            yield return chain with { Outer = [.. chain.Outer.Where((_, index) => index != i)] };
        }

        for (int i = 0; i < chain.Inner.Count; i++)
        {
            yield return chain with { Inner = [.. chain.Inner.Where((_, index) => index != i)] };
        }

        if (chain.Forks > 1)
        {
            yield return chain with { Forks = 1 };
        }
    }
}
