using System.Text;
using Microsoft.AspNetCore.Http;
using Microsoft.Net.Http.Headers;

namespace Quayside.Messaging.Http.Web.Metrics;

/// <summary><c>GET /metrics</c>: the metrics in the Prometheus text format or in OpenMetrics, depending on <c>Accept</c>. Threads: any.</summary>
internal sealed class MetricsEndpoint(MetricStore metrics)
{
    public async Task HandleAsync(HttpContext context)
    {
        metrics.RecordHistograms();
        metrics.Collect();
        bool openMetrics = WantsOpenMetrics(context.Request.Headers.Accept.ToString());
        byte[] text = Encoding.UTF8.GetBytes(PrometheusText.Write(metrics.Families, openMetrics));
        context.Response.ContentType = openMetrics ? PrometheusText.OpenMetricsContentType : PrometheusText.ContentType;
        context.Response.ContentLength = text.Length;
        await context.Response.Body.WriteAsync(text, context.RequestAborted);
    }

    /// <summary>True when <c>Accept</c> ranks OpenMetrics 1.0.0 at least as high as plain text.</summary>
    public static bool WantsOpenMetrics(string accept)
    {
        double open = 0;
        double plain = 0;
        if (MediaTypeHeaderValue.TryParseList([accept], out IList<MediaTypeHeaderValue>? types))
        {
            foreach (MediaTypeHeaderValue type in types)
            {
                double quality = type.Quality ?? 1;
                string? version =
                    type.Parameters.FirstOrDefault(parameter => parameter.Name.Equals("version", StringComparison.OrdinalIgnoreCase))?.Value.Value?.Trim('"');
                if (type.MediaType.Equals("application/openmetrics-text", StringComparison.OrdinalIgnoreCase) && (version is null or "1.0.0"))
                {
                    open = Math.Max(open, quality);
                }
                else if (type.MediaType.Equals("text/plain", StringComparison.OrdinalIgnoreCase))
                {
                    plain = Math.Max(plain, quality);
                }
            }
        }

        return open > 0 && open >= plain;
    }
}
