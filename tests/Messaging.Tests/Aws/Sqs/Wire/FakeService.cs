using System.Collections.Concurrent;
using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Messaging.Tests.Aws.Sqs.Wire;

/// <summary>An HTTP server on loopback that gives a test's answers and records the requests; the request is a feature of its context.</summary>
internal sealed class FakeService : IAsyncDisposable
{
    private readonly WebApplication _app;

    private FakeService(WebApplication app) => _app = app;

    public ConcurrentQueue<FakeRequest> Requests { get; } = new();

    public Uri Address { get; private set; } = new("http://127.0.0.1");

    public static async Task<FakeService> StartAsync(Func<HttpContext, int, Task> answer)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.ConfigureKestrel(options => options.Listen(IPAddress.Loopback, 0, listen => listen.Protocols = HttpProtocols.Http1));
        WebApplication app = builder.Build();
        FakeService service = new(app);
        app.Run(async context =>
        {
            using MemoryStream body = new();
            await context.Request.Body.CopyToAsync(body);
            Dictionary<string, string> headers = context.Request.Headers.ToDictionary(h => h.Key, h => h.Value.ToString(), StringComparer.OrdinalIgnoreCase);
            FakeRequest request = new(context.Request.Method, context.Request.Path + context.Request.QueryString, headers, body.ToArray());
            context.Features.Set(request);
            int number;
            lock (service.Requests)
            {
                service.Requests.Enqueue(request);
                number = service.Requests.Count;
            }

            await answer(context, number);
        });
        await app.StartAsync();
        service.Address = new Uri(app.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.Single());
        return service;
    }

    /// <summary>Gives every request the same answer.</summary>
    public static Task<FakeService> StartAsync(int status, string body, params (string Name, string Value)[] headers) =>
        StartAsync((context, _) => AnswerAsync(context, status, body, headers));

    public static async Task AnswerAsync(HttpContext context, int status, string body, params (string Name, string Value)[] headers)
    {
        context.Response.StatusCode = status;
        context.Response.ContentType = "application/x-amz-json-1.0";
        foreach ((string name, string value) in headers)
        {
            context.Response.Headers[name] = value;
        }

        byte[] bytes = System.Text.Encoding.UTF8.GetBytes(body);
        context.Response.ContentLength = bytes.Length;
        await context.Response.Body.WriteAsync(bytes);
    }

    public async ValueTask DisposeAsync() => await _app.DisposeAsync();
}
