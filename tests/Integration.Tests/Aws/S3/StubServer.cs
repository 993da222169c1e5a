using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using AwsEndpoint = Integration.Tests.Servers.AwsEndpoint;

namespace Integration.Tests.Aws.S3;

/// <summary>A server whose answers a test scripts, for answers that no S3 gives on demand.</summary>
internal sealed class StubServer : IAsyncDisposable
{
    private readonly WebApplication _application;
    private int _requests;
    private int _inFlight;

    private StubServer(WebApplication application) => _application = application;

    public AwsEndpoint Endpoint { get; private set; } = null!;

    /// <summary>Requests that have arrived.</summary>
    public int Requests => Volatile.Read(ref _requests);

    /// <param name="answer">Called when the body has been read.</param>
    /// <param name="read">Reads the body; null reads it whole.</param>
    public static async Task<StubServer> StartAsync(RequestDelegate answer, RequestDelegate? read = null)
    {
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.WebHost.UseKestrelCore().ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0));
        WebApplication application = builder.Build();
        StubServer server = new(application);
        application.Run(async context =>
        {
            Interlocked.Increment(ref server._requests);
            Interlocked.Increment(ref server._inFlight);
            try
            {
                await (read is null ? context.Request.Body.CopyToAsync(Stream.Null, context.RequestAborted) : read(context));
                await answer(context);
            }
            catch (Exception exception) when (exception is IOException or OperationCanceledException)
            {
                // The client closed the connection.
            }
            finally
            {
                Interlocked.Decrement(ref server._inFlight);
            }
        });
        await application.StartAsync();
        server.Endpoint = new AwsEndpoint("stub", new Uri(application.Urls.Single()), "test", "test", "us-east-1", TrailingChecksums: false);
        return server;
    }

    /// <summary>An S3 error.</summary>
    public static async Task FailAsync(HttpContext context, int status, string code, string message = "")
    {
        context.Response.StatusCode = status;
        context.Response.ContentType = "application/xml";
        await context.Response.WriteAsync($"<?xml version=\"1.0\" encoding=\"UTF-8\"?><Error><Code>{code}</Code><Message>{message}</Message></Error>");
    }

    /// <summary>Waits until every request is answered or aborted.</summary>
    public async Task IdleAsync()
    {
        while (Volatile.Read(ref _inFlight) > 0)
        {
            await Task.Delay(20, TestContext.Current.CancellationToken);
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _application.StopAsync(new CancellationToken(canceled: true));
        await _application.DisposeAsync();
    }
}
