using Messaging.Configuration;

namespace Messaging.Hosting;

/// <summary>Section <c>Pipeline</c>: how pipelines are executed, and which parts added by code are in them.</summary>
internal sealed class PipelineOptions
{
    /// <summary>The value of <see cref="Parts"/> that leaves every part out.</summary>
    public const string NoParts = "None";

    [Setting("How pipelines are executed: Closure, Expression, Precompiled or Fused; the results are the same, only the cost differs")]
    public string Form { get; set; } = "Fused";

    [Setting("Steps and behaviours added by code to run, in this order, separated by commas; None runs none of them. Default: all, in the order in which they were added")]
    public string[]? Parts { get; set; }
}
