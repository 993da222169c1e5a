using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text.RegularExpressions;
using Integration.Tests.Worker;
using Integration.Tests.Worker.CloudFront;

namespace Integration.Tests.Observability;

/// <summary>What <c>GET /metrics</c> of a running worker shows of messages that were settled, refused, dead-lettered or dropped.</summary>
public sealed class ScrapeTests
{
    private static readonly byte[] Message =
        """{"EventDateUtc":"2026-01-31T10:00:00Z","Product":"p","SiteKey":"s","EventName":"e","MessageId":"m"}"""u8.ToArray();

    [Fact]
    public async Task FirstScrape_HasTheDurationsAndAnswersOfAllMessagesSinceTheStart()
    {
        await using DirectoryUnderTest sink = new();
        using LetterFolder letters = new();
        await using RunningWorker worker = await StartAsync(sink, letters, "--Sources:Http:MaxMessageBytes=1000");
        for (int i = 0; i < 3; i++)
        {
            (await worker.PostAsync(Message)).Status.ShouldBe(HttpStatusCode.OK);
        }

        (await worker.PostAsync("{\"broken"u8.ToArray())).Status.ShouldBe(HttpStatusCode.UnprocessableEntity);
        (await worker.PostAsync(new byte[1_001])).Status.ShouldBe(HttpStatusCode.RequestEntityTooLarge);

        string text = await worker.ReadPageAsync("/metrics");

        Sum(text, "messaging_process_duration_seconds_count", "worker_route=\"archive\"").ShouldBe(4);
        Sum(text, "messaging_process_duration_seconds_bucket", "error_type=\"malformed-json\"", "le=\"+Inf\"").ShouldBe(1);
        Sum(text, "messaging_process_duration_seconds_bucket", "le=\"10\"").ShouldBe(4);
        Sum(text, "worker_sink_duration_seconds_count", "worker_route=\"archive\"").ShouldBe(3);
        Sum(text, "worker_http_responses_total", "http_response_status_code=\"200\"", "worker_reason=\"stored\"", "worker_route=\"archive\"").ShouldBe(3);
        Sum(text, "worker_http_responses_total", "http_response_status_code=\"422\"", "worker_reason=\"dead-lettered\"").ShouldBe(1);
        Sum(text, "worker_http_responses_total", "http_response_status_code=\"413\"").ShouldBe(1);
    }

    [Fact]
    public async Task FirstScrape_AfterARestart_HasTheDeadLettersThatWaitAndTheirAge()
    {
        await using DirectoryUnderTest sink = new();
        using LetterFolder letters = new();
        await using (RunningWorker first = await StartAsync(sink, letters))
        {
            string none = await first.ReadPageAsync("/metrics");
            Sum(none, "worker_dead_letters_waiting").ShouldBe(0);
            Sum(none, "worker_dead_letters_oldest_age_seconds").ShouldBe(0);
            (await first.PostAsync("{\"broken"u8.ToArray())).Status.ShouldBe(HttpStatusCode.UnprocessableEntity);
            (await first.PostAsync("{\"twice"u8.ToArray())).Status.ShouldBe(HttpStatusCode.UnprocessableEntity);
            (await first.StopAsync()).ShouldBe(0);
        }

        await using RunningWorker second = await StartAsync(sink, letters);
        string text = await second.ReadPageAsync("/metrics");

        Sum(text, "worker_dead_letters_waiting", "worker_reason=\"malformed-json\"").ShouldBe(2);
        Sum(text, "worker_dead_letters_oldest_age_seconds").ShouldNotBeNull().ShouldBeGreaterThan(0);
    }

    [Fact]
    public async Task Scrape_AfterDroppedInput_HasTheBytesLostByReason()
    {
        await using DirectoryUnderTest sink = new();
        using LetterFolder letters = new();
        await using RunningWorker worker = await RunningWorker.StartAsync(
        [
            "--Routes:archive:Source=TcpLines,Udp", .. sink.Arguments, .. letters.Arguments,
            "--Sources:TcpLines:Endpoint=127.0.0.1:0", "--Sources:TcpLines:MaxLineBytes=1000", "--Sources:TcpLines:Acknowledge=false",
            "--Sources:Udp:Endpoint=127.0.0.1:0", "--Sources:Udp:MaxMessageBytes=100", "--Sources:Udp:Checksum=Verify",
        ]);
        using TcpClient lines = new();
        await lines.ConnectAsync(await EndpointAsync(worker, "accepting connections on 127"));
        await lines.GetStream().WriteAsync((byte[])[.. Enumerable.Repeat((byte)'x', 5_000), (byte)'\n']);
        using UdpClient datagrams = new();
        datagrams.Connect(await EndpointAsync(worker, "receiving datagrams on 127"));
        await datagrams.SendAsync(new byte[1_500]);
        await datagrams.SendAsync("no checksum"u8.ToArray());

        string text = string.Empty;
        await Eventually.BecomesTrueAsync(
            async () => Sum(text = await worker.ReadPageAsync("/metrics"), "worker_messages_dropped_total") == 3, "All three pieces are counted");

        Sum(text, "worker_input_lost_bytes_total", "worker_route=\"archive\"", "worker_reason=\"too-long\"").ShouldBe(
            4_000, "The first 1,000 bytes are a dead letter.");
        Sum(text, "worker_input_lost_bytes_total", "worker_reason=\"too-large\"").ShouldBe(1_500);
        Sum(text, "worker_input_lost_bytes_total", "worker_reason=\"checksum\"").ShouldBe(11);
    }

    /// <summary>The sum of a metric's samples that have all of these labels; null without any.</summary>
    private static double? Sum(string text, string name, params string[] labels)
    {
        double[] values =
        [
            .. Regex.Matches(text, $@"^{name}(?:\{{(?<labels>.*)\}})? (?<value>\S+)$", RegexOptions.Multiline, TimeSpan.FromSeconds(10))
                .Where(sample => labels.All(label => sample.Groups["labels"].Value.Contains(label, StringComparison.Ordinal)))
                .Select(sample => double.Parse(sample.Groups["value"].Value, CultureInfo.InvariantCulture)),
        ];
        return values.Length == 0 ? null : values.Sum();
    }

    private static Task<RunningWorker> StartAsync(DirectoryUnderTest sink, LetterFolder letters, params string[] arguments) =>
        RunningWorker.StartAsync(["--Routes:archive:Source=Http", .. sink.Arguments, .. letters.Arguments, .. arguments]);

    private static async Task<IPEndPoint> EndpointAsync(RunningWorker worker, string line) =>
        IPEndPoint.Parse(
            Regex.Match((await worker.Process.WaitForLineAsync(line)).Text, @"127\.0\.0\.1:\d+", RegexOptions.None, TimeSpan.FromSeconds(10)).Value);
}
