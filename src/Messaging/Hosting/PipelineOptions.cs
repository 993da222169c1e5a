using Messaging.Configuration;

namespace Messaging.Hosting;

/// <summary>Section <c>Pipeline</c>: how the chains are executed, and which of the parts added by code are in them.</summary>
internal sealed class PipelineOptions
{
    /// <summary>The value of <see cref="Parts"/> that leaves every part out.</summary>
    public const string NoParts = "None";

    [Setting("How the behaviour chain is executed: Closure, Expression, Precompiled or Fused; the results are the same, the cost is not")]
    public string Form { get; set; } = "Fused";

    [Setting("Steps and behaviours added by code that are in the chain, in this order, separated by commas; one that is not named is off, None turns all off. Without it all are on, in the order in which they were added")]
    public string[]? Parts { get; set; }
}
