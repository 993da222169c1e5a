using Messaging.CommandLine;
using Messaging.Hosting;

namespace Worker.CommandLine;

/// <summary>Adds the demo to a worker.</summary>
internal static class DemoWorkerBuilderExtensions
{
    /// <summary>Adds <c>--demo N</c>, with <c>--once</c>: the daemon publishes generated messages to itself and reports.</summary>
    public static IMessageWorkerBuilder AddDemo(this IMessageWorkerBuilder builder) => builder.AddDaemonExtension(new DemoExtension());
}
