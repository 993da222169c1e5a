using System.Globalization;
using System.IO.Pipelines;
using System.Text.Json;
using Benchmarks.EndToEnd;
using Benchmarks.EndToEnd.Clients;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Quayside.Messaging.CommandLine;
using Quayside.Messaging.Hosting;

namespace Benchmarks.Http;

/// <summary>A process that receives POST requests, and prints what it has used up so far for each line of its input.</summary>
internal static class HttpServerProcess
{
    /// <summary>Its first argument; the kind and the port follow.</summary>
    public const string Verb = "http-server";

    public static async Task<int> RunAsync(string kind, string port)
    {
        string url = $"http://127.0.0.1:{int.Parse(port, CultureInfo.InvariantCulture)}";
        await using IAsyncDisposable server =
            Enum.Parse<HttpServerKind>(kind) == HttpServerKind.Worker ? await StartWorkerAsync(url) : await StartBareAsync(url);
        Console.Out.WriteLine("ready");
        while (await Console.In.ReadLineAsync() is not null)
        {
            Console.Out.WriteLine(JsonSerializer.Serialize(ClientSample.Take(), EndToEndJson.Default.ClientSample));
        }

        return 0;
    }

    private static async Task<IAsyncDisposable> StartWorkerAsync(string url)
    {
        string[] keys =
            ["--Routes:measured:Source=Http", "--Routes:measured:Sink=Memory", "--Sinks:Memory:Capacity=0", "--Hosting:ReportEvery=0s", $"--Hosting:Url={url}"];
        IConfigurationRoot configuration = WorkerConfiguration.Build(configFile: null, keys, readSettingsFile: false);
        IHost app = WorkerApp.CreateHost(
            new WorkerDefinition(global::Quayside.Worker.Program.AddFeatures), configuration, logging => logging.SetMinimumLevel(LogLevel.Error));
        await app.StartAsync();
        return (IAsyncDisposable)app;
    }

    /// <summary>No more than Kestrel, the body and 200.</summary>
    private static async Task<IAsyncDisposable> StartBareAsync(string url)
    {
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.WebHost.UseKestrelCore().UseUrls(url);
        WebApplication app = builder.Build();
        app.Run(AnswerAsync);
        await app.StartAsync();
        return app;
    }

    private static async Task AnswerAsync(HttpContext context)
    {
        PipeReader body = context.Request.BodyReader;
        while (true)
        {
            ReadResult read = await body.ReadAsync();
            body.AdvanceTo(read.Buffer.End);
            if (read.IsCompleted)
            {
                context.Response.ContentLength = 0;
                return;
            }
        }
    }
}

/// <summary>Who answers.</summary>
internal enum HttpServerKind
{
    /// <summary>A Kestrel endpoint that reads the body and answers 200.</summary>
    Bare,

    /// <summary>The worker: source Http, handler Archive, and a sink that keeps nothing.</summary>
    Worker,
}
