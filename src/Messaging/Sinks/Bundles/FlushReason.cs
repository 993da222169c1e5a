namespace Messaging.Sinks.Bundles;

/// <summary>Why a bundle was closed and stored; the tag <c>worker.reason</c> of the metric, in lower case.</summary>
internal enum FlushReason
{
    /// <summary>Its compressed size, as estimated, reached <c>Bundles:MaxBytes</c>.</summary>
    Size = 0,

    /// <summary>It has <c>Bundles:MaxMessages</c>.</summary>
    Count,

    /// <summary>Its first message has waited <c>Bundles:MaxAge</c>.</summary>
    Age,

    /// <summary>The process holds <c>Bundles:MemoryBudget</c>, and this one was not added to for the longest time.</summary>
    Memory,

    /// <summary>Half of what the route can have in work waits in bundles, and this one was not added to for the longest time.</summary>
    Slots,

    /// <summary>The sink failed before; one bundle at a time finds out whether it works again.</summary>
    Probe,

    /// <summary>The worker stops.</summary>
    Shutdown,
}
