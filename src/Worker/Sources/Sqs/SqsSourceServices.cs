using Microsoft.Extensions.DependencyInjection;
using Worker.Hosting;

namespace Worker.Sources.Sqs;

/// <summary>Adds the SQS source to the worker.</summary>
internal static class SqsSourceServices
{
    public static MessageWorkerBuilder AddSqsSource(this MessageWorkerBuilder worker)
    {
        worker.Services.AddSingleton<ISourceFeature, SqsSourceFeature>();
        return worker;
    }
}
