using Pipeline.Execution;

namespace Pipeline.Tests.Execution.Fused;

public sealed class FusedFormTests : PipelineFormContract
{
    protected override PipelineForm Form => PipelineForm.Fused;
}
