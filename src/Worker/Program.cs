using Quayside.Messaging.Aws;
using Quayside.Messaging.CommandLine;
using Quayside.Messaging.Hosting;

namespace Quayside.Worker;

/// <summary>The daemon.</summary>
public static class Program
{
    public static Task<int> Main(string[] args) => WorkerApp.RunAsync(args, AddFeatures);

    /// <summary>Adds the daemon's sources, handlers, sinks and commands.</summary>
    public static void AddFeatures(IMessageWorkerBuilder worker) => worker
        .Describe(
            "Receives messages from a channel, HTTP, SQS, Service Bus, RabbitMQ, UDP or lines over TCP, stores each under a key derived from its JSON (or "
                + "indexes the CloudFront logs it names into Elasticsearch), and only then acknowledges it.")
        .AddHttp()
        .AddConsole()
        .AddSqs()
        .AddUdp()
        .AddTcpLines()
        .AddAzureServiceBus()
        .AddRabbitMq()
        .AddEnvelopes()
        .AddExtendedClient()
        .AddArchive()
        .AddCloudFront()
        .AddS3()
        .AddAzureBlobs()
        .AddElasticsearch(new AwsRequestSigning())
        .AddDemo();
}
