using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Quayside.Pipeline.Generators.Nodes;

namespace Pipeline.Tests.Generators.Nodes;

/// <summary>An edit that changes no part regenerates no output.</summary>
public sealed class PartNodeCachingTests
{
    private const string Parts =
        """
        namespace Samples;
        public sealed class S : IStep<Ctx>;
        public sealed class Part<T> : IStep<Ctx>;
        public class User { object o = new Part<int>(); }
        """;

    [Theory]
    [InlineData("public class Unrelated { public System.Collections.Generic.List<int> Numbers = new(); }")]
    [InlineData("public class Unrelated : System.IDisposable { public void Dispose() { } object Again() => new Samples.Part<int>(); }")]
    public void Generate_UnrelatedEdit_OutputIsCached(string edit)
    {
        GeneratorRunResult result = RunTwice(edit);

        Reasons(result.TrackedSteps[PartNodeGenerator.NodesStep]).ShouldAllBe(
            reason => reason == IncrementalStepRunReason.Unchanged || reason == IncrementalStepRunReason.Cached);
        Reasons(result.TrackedOutputSteps.SelectMany(steps => steps.Value)).ShouldBe([IncrementalStepRunReason.Cached]);
    }

    [Theory]
    [InlineData("public class Unrelated : IStep<Samples.Ctx>;")]
    [InlineData("public class Unrelated { object o = new Samples.Part<long>(); }")]
    public void Generate_EditThatAddsAPart_OutputIsWrittenAgain(string edit) =>
        Reasons(RunTwice(edit).TrackedOutputSteps.SelectMany(steps => steps.Value)).ShouldBe([IncrementalStepRunReason.Modified]);

    private static GeneratorRunResult RunTwice(string edit)
    {
        CSharpCompilation compilation = Sample.Compilation(Parts, "public class Unrelated;");
        GeneratorDriver driver = CSharpGeneratorDriver.Create(
            [new PartNodeGenerator().AsSourceGenerator()],
            parseOptions: Sample.Parsing,
            driverOptions: new GeneratorDriverOptions(IncrementalGeneratorOutputKind.None, trackIncrementalGeneratorSteps: true));
        driver = driver.RunGenerators(compilation);
        SyntaxTree unrelated = compilation.SyntaxTrees[1];

        return driver
            .RunGenerators(compilation.ReplaceSyntaxTree(unrelated, CSharpSyntaxTree.ParseText(edit, Sample.Parsing, unrelated.FilePath)))
            .GetRunResult().Results.Single();
    }

    private static IEnumerable<IncrementalStepRunReason> Reasons(IEnumerable<IncrementalGeneratorRunStep> steps) =>
        steps.SelectMany(step => step.Outputs).Select(output => output.Reason);
}
