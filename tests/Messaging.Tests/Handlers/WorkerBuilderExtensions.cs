using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Hosting;

namespace Messaging.Tests.Handlers;

/// <summary>Lets a test write a worker and its services as one expression.</summary>
internal static class WorkerBuilderExtensions
{
    public static IMessageWorkerBuilder With(this IMessageWorkerBuilder worker, Action<IServiceCollection> add)
    {
        add(worker.Services);
        return worker;
    }
}
