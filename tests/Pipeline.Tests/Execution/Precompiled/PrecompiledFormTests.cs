using Quayside.Pipeline.Execution;

namespace Pipeline.Tests.Execution.Precompiled;

public sealed class PrecompiledFormTests : PipelineFormContract
{
    protected override PipelineForm Form => PipelineForm.Precompiled;
}
