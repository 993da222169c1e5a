using Messaging.Configuration;

namespace Messaging.Hosting;

/// <summary>Section <c>Pipeline</c>: how the chains are executed.</summary>
internal sealed class PipelineOptions
{
    [Setting("How the behaviour chain is executed: Closure, Expression, Precompiled or Fused; the results are the same, the cost is not")]
    public string Form { get; set; } = "Fused";
}
