using Pipeline.Execution;

namespace Pipeline.Tests.Execution.Expressions;

public sealed class ExpressionFormTests : PipelineFormContract
{
    protected override PipelineForm Form => PipelineForm.Expression;

    /// <summary>An expression takes many milliseconds to compile.</summary>
    protected override int ManyChains => 1_000;
}
