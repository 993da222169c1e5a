using Pipeline.Tests.Parts;
using Quayside.Pipeline.Building;

namespace Pipeline.Tests.Execution;

/// <summary>The printed chain, approved as text: one file per chain and form under Approved.</summary>
public abstract partial class PipelineFormContract
{
    [Fact]
    public void Description_StepsBehaviorsConnector_AsApproved() => ShouldBeApproved(
        "two-stages",
        new PipelineBuilder<OuterContext>("archive")
            .Behavior(Part.Outer("x"), "Tracing")
            .Step<OuterContext>(Part.Step("x"), "SizeLimit")
            .Connector(Part.Connector("x"), "ReadHeader")
            .Behavior(Part.Inner("x"), "Retry")
            .Step<InnerContext>(Part.Step("x"))
            .Terminator<InnerContext>(Part.Terminator(), "Store"));

    [Fact]
    public void Description_Fork_AsApproved() => ShouldBeApproved(
        "fork",
        new PipelineBuilder<OuterContext>("cloudfront")
            .Fork(Part.Connector("x"), "Rows")
            .Terminator<InnerContext>(Part.Terminator(), "Index"));

    [Fact]
    public void Description_OnlyATerminator_AsApproved() => ShouldBeApproved(
        "terminator",
        new PipelineBuilder<OuterContext>("short").Terminator<OuterContext>(Part.Terminator()));

    [Fact]
    public void Description_FortyParts_AsApproved()
    {
        PipelineBuilder<OuterContext> builder = new("deep");
        for (int i = 1; i <= 40; i++)
        {
            builder.Step<OuterContext>(Part.Step("x"), $"Step{i}");
        }

        ShouldBeApproved("forty-parts", builder.Terminator<OuterContext>(Part.Terminator()));
    }

    private void ShouldBeApproved(string chain, PipelineBuilder<OuterContext> builder) =>
        builder.Build(Form).Description.ShouldBeApproved($"{chain}.{Form}");
}
