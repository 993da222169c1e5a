using System.Diagnostics.Tracing;

namespace Harness;

/// <summary>Marks the start and the end of the measured span in the event stream. Costs nothing without a listener.</summary>
[EventSource(Name = ProviderName)]
internal sealed class HarnessEvents : EventSource
{
    public const string ProviderName = "Worker-Harness";
    public const int ProcessingBeginsId = 1;
    public const int ProcessingEndsId = 2;

    private HarnessEvents()
    {
    }

    public static HarnessEvents Log { get; } = new();

    [Event(ProcessingBeginsId, Level = EventLevel.Informational)]
    public void ProcessingBegins() => WriteEvent(ProcessingBeginsId);

    [Event(ProcessingEndsId, Level = EventLevel.Informational)]
    public void ProcessingEnds() => WriteEvent(ProcessingEndsId);
}
