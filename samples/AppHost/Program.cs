// The worker as a resource of Aspire: traces and metrics arrive at the dashboard, and the worker's output is the resource's console log.
var builder = DistributedApplication.CreateBuilder(args);

builder.AddProject("worker", "../../src/Worker/Worker.csproj")
    // Without a proxy, because the worker listens where Hosting:Url says, not at ASPNETCORE_URLS.
    .WithHttpEndpoint(port: 8080, isProxied: false)
    .WithEnvironment("Hosting__Url", "http://127.0.0.1:8080")
    .WithEnvironment("Routes__orders__Source", "Http")
    .WithEnvironment("Routes__orders__Sink", "Directory")
    .WithHttpHealthCheck("/healthz/ready");

builder.Build().Run();
