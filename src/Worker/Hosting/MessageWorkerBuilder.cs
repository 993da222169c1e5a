using Microsoft.Extensions.DependencyInjection;

namespace Worker.Hosting;

/// <summary>Where features add themselves: <c>services.AddMessageWorker(worker => worker.AddSqsSource())</c>.</summary>
internal sealed class MessageWorkerBuilder(IServiceCollection services)
{
    public IServiceCollection Services { get; } = services;
}
