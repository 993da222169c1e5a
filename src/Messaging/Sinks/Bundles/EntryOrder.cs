namespace Messaging.Sinks.Bundles;

/// <summary>Entries in the order of their keys' bytes: the same messages give the same object however they arrived.</summary>
internal sealed class EntryOrder : IComparer<BundleWaiter>
{
    public static readonly EntryOrder ByKey = new();

    public int Compare(BundleWaiter? x, BundleWaiter? y) => x!.Key.Span.SequenceCompareTo(y!.Key.Span);
}
