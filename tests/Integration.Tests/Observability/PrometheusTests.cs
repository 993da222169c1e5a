using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Http.Headers;
using System.Text.Json;
using System.Text.RegularExpressions;
using Integration.Tests.Documents;
using Integration.Tests.Processes;
using Integration.Tests.Servers;
using Integration.Tests.Worker;

namespace Integration.Tests.Observability;

/// <summary><c>/metrics</c> of a running worker, read by Prometheus itself.</summary>
public sealed class PrometheusTests
{
    private static readonly byte[] Message =
        """{"EventDateUtc":"2026-01-31T10:00:00Z","Product":"p","SiteKey":"s","EventName":"e","MessageId":"m"}"""u8.ToArray();

    [Theory]
    [InlineData("text/plain;version=0.0.4", "text/plain")]
    [InlineData("application/openmetrics-text;version=1.0.0", "application/openmetrics-text")]
    public async Task Metrics_AreWhatPromtoolAccepts(string accept, string type)
    {
        string folder = Directory.CreateTempSubdirectory("prometheus-").FullName;
        await using RunningWorker worker = await StartAsync(folder);
        using HttpClient client = new();
        using HttpRequestMessage request = new(HttpMethod.Get, new Uri(worker.Url, "/metrics"));
        request.Headers.Accept.Add(MediaTypeWithQualityHeaderValue.Parse(accept));

        using HttpResponseMessage answer = await client.SendAsync(request);

        answer.Content.Headers.ContentType!.MediaType.ShouldBe(type);
        string text = await answer.Content.ReadAsStringAsync();
        text.Length.ShouldBeLessThan(200_000);
        text.ShouldContain("worker_messages_dead_letters_total{worker_route=\"archive\",worker_reason=\"malformed-json\"} 1\n");
        text.EndsWith("# EOF\n", StringComparison.Ordinal).ShouldBe(type != "text/plain");
        if (type == "text/plain")
        {
            // promtool does not read OpenMetrics; the other test covers it with Prometheus.
            await CheckAsync(text);
        }
    }

    [Fact]
    public async Task Prometheus_ScrapesAndAnswersAQuery()
    {
        string folder = Directory.CreateTempSubdirectory("prometheus-").FullName;
        await using RunningWorker worker = await StartAsync(folder);
        int port = FreePort.Next();
        string configuration = Path.Combine(folder, "prometheus.yml");
        await File.WriteAllTextAsync(configuration, $$"""
            global: { scrape_interval: 1s }
            scrape_configs:
              - job_name: worker
                static_configs: [ { targets: ["{{worker.Url.Authority}}"] } ]
            """);
        await using CapturedProcess prometheus = CapturedProcess.Start(
            Require("prometheus"), $"--config.file={configuration}", $"--storage.tsdb.path={Path.Combine(folder, "data")}",
            $"--web.listen-address=127.0.0.1:{port}");

        await Eventually.BecomesTrueAsync(async () => await QueryAsync(port, "up{job=\"worker\"}") == 1, "Prometheus has scraped the worker");
        for (int i = 0; i < 5; i++)
        {
            (await worker.PostAsync(Message)).Status.ShouldBe(HttpStatusCode.OK);
        }

        await Eventually.BecomesTrueAsync(
            async () => await QueryAsync(port, "worker_messages_stored_total{worker_route=\"archive\"}") == 6, "Prometheus knows the stored messages");
        (await QueryAsync(port, "messaging_process_duration_seconds_count{worker_route=\"archive\",error_type=\"\"}")).ShouldBe(6, "Counted since the start.");
        (await QueryAsync(port, "worker_messages_limit{worker_source=\"http\"}")).ShouldBe(1_000);
        LabelsShouldBeThoseOfTheReference(await worker.ReadPageAsync("/metrics"));
    }

    private static void LabelsShouldBeThoseOfTheReference(string text)
    {
        int series = 0;
        foreach (InstrumentRow instrument in SourceScan.Instruments())
        {
            MatchCollection found = Regex.Matches(
                text, $@"^{instrument.Name.Replace('.', '_')}(?:_(?:seconds|bytes|usd))?(?:_(?:total|bucket|sum|count))?\{{(?<labels>.*)\}}",
                RegexOptions.Multiline);
            string[] labels = [
                .. found
                    .SelectMany(match => Regex.Matches(match.Groups["labels"].Value, "(?<name>[a-z_]+)=\""))
                    .Select(match => match.Groups["name"].Value)
                    .Distinct()];
            labels.Except([.. instrument.Attributes.Select(attribute => attribute.Replace('.', '_')), "le"]).ShouldBeEmpty(instrument.Name);
            series += found.Count;
        }

        series.ShouldBeGreaterThan(20);
    }

    private static async Task<RunningWorker> StartAsync(string folder)
    {
        RunningWorker worker = await RunningWorker.StartAsync(
            ["--Routes:archive:Source=Http", "--Routes:archive:Sink=Directory", $"--Sinks:Directory:Path={Path.Combine(folder, "objects")}",
                $"--DeadLetters:Path={Path.Combine(folder, "letters")}"]);
        (await worker.PostAsync(Message)).Status.ShouldBe(HttpStatusCode.OK);
        (await worker.PostAsync("{\"broken"u8.ToArray())).Status.ShouldBe(HttpStatusCode.UnprocessableEntity);
        return worker;
    }

    private static async Task CheckAsync(string text)
    {
        using Process promtool = Process.Start(
            new ProcessStartInfo(Require("promtool"), ["check", "metrics"])
            { RedirectStandardInput = true, RedirectStandardError = true, UseShellExecute = false })!;
        await promtool.StandardInput.WriteAsync(text);
        promtool.StandardInput.Close();
        string errors = await promtool.StandardError.ReadToEndAsync();
        await promtool.WaitForExitAsync();

        // The runtime chooses its own names: one of its gauges ends in _count.
        string[] ours = [.. errors.Split('\n', StringSplitOptions.RemoveEmptyEntries).Where(line => !line.StartsWith("dotnet_", StringComparison.Ordinal))];
        ours.ShouldBeEmpty();
    }

    private static async Task<double?> QueryAsync(int port, string query)
    {
        using HttpClient client = new();
        try
        {
            using JsonDocument answer =
                JsonDocument.Parse(await client.GetStringAsync($"http://127.0.0.1:{port}/api/v1/query?query={Uri.EscapeDataString(query)}"));
            JsonElement result = answer.RootElement.GetProperty("data").GetProperty("result");
            return result.GetArrayLength() == 0 ? null : double.Parse(result[0].GetProperty("value")[1].GetString()!, CultureInfo.InvariantCulture);
        }
        catch (HttpRequestException)
        {
            return null;
        }
    }

    private static string Require(string program)
    {
        string path = $"/usr/bin/{program}";
        if (!File.Exists(path))
        {
            RequiredServers.Missing($"There is no {path}: install Debian's package prometheus.");
        }

        return path;
    }
}
