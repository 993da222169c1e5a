using FsCheck;
using FsCheck.Fluent;
using Pipeline.Tests.Execution.RandomChains;
using Pipeline.Tests.Parts;
using Quayside.Pipeline.Execution;

namespace Pipeline.Tests.Execution;

/// <summary>Random chains of returning, awaiting, hopping, throwing, stopping, handling and repeating parts behave the same in every form.</summary>
public abstract partial class PipelineFormContract
{
    [Fact]
    public void Invoke_RandomChains_SameTraceSettlementAndExceptionAsClosure() => CompareWithClosure(chains: 200);

    /// <summary>In halves: an expression takes many milliseconds to compile, and no test may take long.</summary>
    [Theory]
    [InlineData("first half")]
    [InlineData("second half")]
    [Trait("Category", "Long")]
    public void Invoke_ManyRandomChains_SameTraceSettlementAndExceptionAsClosure(string half) => CompareWithClosure(chains: 1_000, half);

    [Fact]
    public void Invoke_RandomChain_SecondMessageDoesTheSameAsTheFirst()
    {
        Property sameAgain = Prop.ForAll(ChainSpec.Arbitrary, chain =>
        {
            IPipeline<OuterContext> pipeline = chain.Build(Form);
            string first = Outcome(pipeline);
            string second = Outcome(pipeline);
            return (second == first).Label($"first: {first}{Environment.NewLine}second: {second}");
        });

        Check.One(Config.QuickThrowOnFailure.WithQuietOnSuccess(true).WithMaxTest(500), sameAgain);
    }

    private void CompareWithClosure(int chains, string run = "all")
    {
        Property sameAsClosure = Prop.ForAll(ChainSpec.Arbitrary, chain =>
        {
            string expected = Outcome(chain, PipelineForm.Closure);
            string actual = Outcome(chain, Form);
            return (actual == expected).Label($"{run}, Closure: {expected}{Environment.NewLine}{Form}: {actual}");
        });

        Check.One(Config.QuickThrowOnFailure.WithQuietOnSuccess(true).WithMaxTest(chains), sameAsClosure);
    }

    private static string Outcome(ChainSpec chain, PipelineForm form) => Outcome(chain.Build(form));

    private static string Outcome(IPipeline<OuterContext> pipeline)
    {
        OuterContext context = new();
        Exception? exception = pipeline.RunAsync(context).GetAwaiter().GetResult();
        string end = exception is null ? "returned" : $"{exception.GetType().Name}:{exception.Message}";
        return $"{context} | {context.Settlement} | {end}";
    }
}
