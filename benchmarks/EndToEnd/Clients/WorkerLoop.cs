using Benchmarks.Aws.Wire;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.CommandLine;
using Quayside.Messaging.Hosting;

namespace Benchmarks.EndToEnd.Clients;

/// <summary>The worker itself, the whole host, with one route from SQS to S3.</summary>
internal static class WorkerLoop
{
    /// <param name="settings">What to run.</param>
    /// <param name="prepare">Changes the host before it starts; null for none.</param>
    public static async Task RunAsync(ClientSettings settings, Action<IHost>? prepare = null)
    {
        List<string> keys =
        [
            "--Routes:measured:Source=Sqs",
            "--Routes:measured:Sink=S3",
            "--Hosting:Url=http://127.0.0.1:0",
            $"--Sources:Sqs:Queue={new Uri(settings.Endpoint, $"/000000000000/{settings.Queue}")}",
            $"--Sources:Sqs:DeadLetterQueue={new Uri(settings.Endpoint, "/000000000000/dead-letters")}",
            $"--Sources:Sqs:VisibilityTimeout={ClientSettings.VisibilitySeconds}s",
            $"--Sources:Sqs:WaitTime={ClientSettings.WaitSeconds}s",
            $"--Aws:Endpoint={settings.Endpoint}",
            $"--Aws:Region={WireAccount.Region}",
            $"--Aws:AccessKeyId={WireAccount.AccessKey}",
            $"--Aws:SecretAccessKey={WireAccount.SecretKey}",
            $"--Sinks:S3:Bucket={ClientSettings.Bucket}",
            $"--Sinks:S3:Client={(settings.Kind == ClientKind.WorkerSdk ? S3ClientKind.Sdk : S3ClientKind.Auto)}",
        ];
        if (settings.Kind is ClientKind.WorkerSns or ClientKind.WorkerGzip)
        {
            keys.Add($"--Routes:measured:Envelope={(settings.Kind == ClientKind.WorkerSns ? "Sns" : "Base64, Gzip")}");
        }

        if (settings.InFlight != ClientSettings.Found)
        {
            keys.AddRange([$"--Intake:Concurrency={settings.InFlight}", $"--Intake:StartConcurrency={settings.InFlight}"]);
        }

        if (settings.Bundle > 0)
        {
            keys.AddRange(["--Bundles:Enabled=true", $"--Bundles:MaxMessages={settings.Bundle}", "--Bundles:MaxAge=1s"]);
        }

        IConfigurationRoot configuration = WorkerConfiguration.Build(configFile: null, keys, readSettingsFile: false);
        using IHost app = WorkerApp.CreateHost(
            new WorkerDefinition(global::Quayside.Worker.Program.AddFeatures), configuration, logging => logging.SetMinimumLevel(LogLevel.Warning));
        prepare?.Invoke(app);
        await app.RunAsync();
    }
}
