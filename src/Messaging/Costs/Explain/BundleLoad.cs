using Messaging.Sinks.Bundles;

namespace Messaging.Costs.Explain;

/// <summary>How many messages a bundle holds under a load, and how long they wait in it.</summary>
internal sealed class BundleLoad
{
    public BundleLoad(BundlesOptions bundles, ExplainInput input)
    {
        double most = Math.Min(bundles.MaxMessages, Math.Min(input.Rate * bundles.MaxAge.TotalSeconds, bundles.MemoryBudget / (double)input.MessageBytes));
        Size = (int)Math.Max(1, most);

        // Fewer messages than the load would bring to one bundle means many bundles at once, closed only by their age.
        double given = input.MessagesPerObject ?? Size;
        FillSeconds = given < Size ? bundles.MaxAge.TotalSeconds : Math.Min(bundles.MaxAge.TotalSeconds, bundles.MaxMessages / input.Rate);
    }

    /// <summary>Messages per bundle at best: bounded by count, age and the memory budget of all bundles.</summary>
    public int Size { get; }

    /// <summary>How long a bundle's first message waits.</summary>
    public double FillSeconds { get; }
}
