namespace Messaging.Sinks.Bundles;

/// <summary>Why a bundle was closed and stored; the tag <c>worker.reason</c> of the metric, in lower case.</summary>
internal enum FlushReason
{
    /// <summary>Its estimated compressed size reached <c>Bundles:MaxBytes</c>.</summary>
    Size = 0,

    /// <summary>It contains <c>Bundles:MaxMessages</c> messages.</summary>
    Count,

    /// <summary>Its first message has waited <c>Bundles:MaxAge</c>.</summary>
    Age,

    /// <summary>The bundles of the process reached <c>Bundles:MemoryBudget</c>, and this one was the least recently extended.</summary>
    Memory,

    /// <summary>Half of the messages that one source can have in flight wait in bundles, and this one was the least recently extended.</summary>
    Slots,

    /// <summary>The sink failed before; one bundle at a time probes whether it works again.</summary>
    Probe,

    /// <summary>The worker stops.</summary>
    Shutdown,
}
