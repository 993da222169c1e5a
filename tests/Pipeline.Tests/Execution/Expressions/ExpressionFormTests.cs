using Quayside.Pipeline.Execution;

namespace Pipeline.Tests.Execution.Expressions;

public sealed class ExpressionFormTests : PipelineFormContract
{
    protected override PipelineForm Form => PipelineForm.Expression;
}
