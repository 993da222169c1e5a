using Quayside.Messaging.Handlers;
using Quayside.Messaging.Planning;
using Quayside.Messaging.Sinks;
using Quayside.Messaging.Sources;

namespace Messaging.Tests.Planning;

/// <summary>A worker with only these features.</summary>
internal static class FakeFeatures
{
    public static WorkerFeatures Of(IEnumerable<ISourceFeature> sources, IEnumerable<IHandlerFeature> handlers, IEnumerable<ISinkFeature> sinks)
    {
        WorkerFeatures features = new();
        foreach (ISourceFeature source in sources)
        {
            features.Add(source);
        }

        foreach (IHandlerFeature handler in handlers)
        {
            features.Add(handler);
        }

        foreach (ISinkFeature sink in sinks)
        {
            features.Add(sink);
        }

        return features;
    }
}
