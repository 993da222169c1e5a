using Quayside.Messaging.Sinks;
using Quayside.Messaging.Sinks.Bundles;

namespace Proof.Simulation;

/// <summary>The sink of a route with bundles: checks that a stop leaves none open.</summary>
internal sealed class ObservedBundles(BundlingSink bundles, World world, Defect defect) : IObjectSink
{
    public string? Problem => bundles.Problem;

    public Task CheckAsync(CancellationToken cancellationToken) => bundles.CheckAsync(cancellationToken);

    public ValueTask<SinkResult> StoreAsync(ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, CancellationToken cancellationToken) =>
        bundles.StoreAsync(key, body, cancellationToken);

    public string Locate(string key) => bundles.Locate(key);

    public void StopWaiting()
    {
        if (defect != Defect.KeepBundles)
        {
            bundles.StopWaiting();
        }

        if (bundles.PendingMessages > 0)
        {
            world.Fail($"{bundles.PendingMessages} messages wait in open bundles although the worker stops");
        }
    }

    public ValueTask DisposeAsync() => bundles.DisposeAsync();
}
