using Quayside.Pipeline.Execution;

namespace Pipeline.Tests.Execution.Closure;

public sealed class ClosureFormTests : PipelineFormContract
{
    protected override PipelineForm Form => PipelineForm.Closure;
}
