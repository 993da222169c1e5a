using System.Collections.Concurrent;
using System.Net;
using System.Text;
using Integration.Tests.Worker;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;

namespace Integration.Tests.Telemetry;

/// <summary>A minimal OpenTelemetry collector: receives OTLP over HTTP and keeps the data.</summary>
internal sealed class OtlpReceiver : IAsyncDisposable
{
    private readonly WebApplication _application;
    private readonly ConcurrentQueue<OtlpSpan> _spans = new();
    private readonly ConcurrentQueue<(string Path, string Signal)> _requests = new();
    private readonly ConcurrentDictionary<string, bool> _metrics = new(StringComparer.Ordinal);

    private OtlpReceiver(WebApplication application) => _application = application;

    /// <summary>Environment that makes a process export to this collector with short delays.</summary>
    public Dictionary<string, string> Environment => new(StringComparer.Ordinal)
    {
        ["OTEL_EXPORTER_OTLP_ENDPOINT"] = _application.Urls.Single(),
        ["OTEL_EXPORTER_OTLP_PROTOCOL"] = "http/protobuf",
        ["OTEL_BSP_SCHEDULE_DELAY"] = "200",
        ["OTEL_METRIC_EXPORT_INTERVAL"] = "500",
    };

    /// <summary>The collector's address, without a path.</summary>
    public string Url => _application.Urls.Single();

    /// <summary>Path and header <c>signal</c> of the requests.</summary>
    public IReadOnlyCollection<(string Path, string Signal)> Requests => _requests;

    public IReadOnlyCollection<OtlpSpan> Spans => _spans;

    public ICollection<string> Metrics => _metrics.Keys;

    public static async Task<OtlpReceiver> StartAsync()
    {
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.WebHost.UseKestrelCore().ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0));
        OtlpReceiver receiver = new(builder.Build());
        receiver._application.Run(receiver.TakeAsync);
        await receiver._application.StartAsync();
        return receiver;
    }

    /// <summary>Waits for that many spans of a name.</summary>
    public async Task<OtlpSpan[]> WaitForAsync(string name, int count = 1, Func<OtlpSpan, bool>? where = null)
    {
        OtlpSpan[] found = [];
        await Eventually.BecomesTrueAsync(
            () => (found = [.. _spans.Where(span => span.Name == name && where?.Invoke(span) != false)]).Length >= count,
            $"{count} spans {name}");
        return found;
    }

    public async ValueTask DisposeAsync() => await _application.DisposeAsync();

    private async Task TakeAsync(HttpContext context)
    {
        using MemoryStream body = new();
        await context.Request.Body.CopyToAsync(body, context.RequestAborted);
        _requests.Enqueue((context.Request.Path, context.Request.Headers["signal"].ToString()));
        if (context.Request.Path.Value!.EndsWith("/traces", StringComparison.Ordinal))
        {
            OtlpSpan.ReadAll(body.ToArray()).ForEach(_spans.Enqueue);
        }
        else
        {
            ReadMetrics(body.ToArray());
        }

        context.Response.ContentType = "application/x-protobuf";
    }

    private void ReadMetrics(ReadOnlySpan<byte> request)
    {
        ProtobufReader resources = new(request);
        while (resources.Read())
        {
            ProtobufReader scopes = new(resources.Bytes);
            while (scopes.Read())
            {
                ProtobufReader scope = new(scopes.Field == 2 ? scopes.Bytes : default);
                while (scope.Read())
                {
                    ProtobufReader metric = new(scope.Field == 2 ? scope.Bytes : default);
                    if (metric.Read() && metric.Field == 1)
                    {
                        _metrics[Encoding.UTF8.GetString(metric.Bytes)] = true;
                    }
                }
            }
        }
    }
}
