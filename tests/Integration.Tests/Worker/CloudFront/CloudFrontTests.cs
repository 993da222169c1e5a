using System.Net;
using System.Text;
using System.Text.Json;
using Integration.Tests.Servers;

namespace Integration.Tests.Worker.CloudFront;

/// <summary>The daemon from events to Elasticsearch: each row becomes exactly one document, or a dead letter with a reason.</summary>
public sealed class CloudFrontTests(AwsServer aws)
{
    private const string Index = "cloudfront-logs";
    private const string TestEvent =
        """{"Service":"Amazon S3","Event":"s3:TestEvent","Time":"2026-01-31T10:00:00.000Z","Bucket":"logs","RequestId":"r","HostId":"h"}""";

    [Fact]
    public async Task Sqs_LogsGoodAndBad_EveryRowIsIndexedOnceOrDeadLettered()
    {
        AwsEndpoint endpoint = await aws.RequireAsync();
        using LogBucket bucket = await LogBucket.CreateAsync(endpoint);
        using SqsQueue deadLetters = await SqsQueue.CreateAsync(endpoint);
        using SqsQueue queue = await SqsQueue.CreateAsync(endpoint, deadLetters: deadLetters);
        await using StrictElasticsearch elasticsearch = await StrictElasticsearch.StartAsync();
        using var folder = new LetterFolder();
        ExpectedRows[] logs =
        [
            ExpectedRows.Create("cdn/E2EXAMPLE.2026-01-31-10.a1b2c3d4.gz", 700, seed: 1),
            ExpectedRows.Create("with blank/and+plus/100%.gz", 300, seed: 2, badRows: 3),
            ExpectedRows.Create("\u00e9/\U0001F600.gz", 1, seed: 3),
            ExpectedRows.Create("empty.gz", 0, seed: 4),
        ];
        List<string> events = [TestEvent];
        foreach (ExpectedRows log in logs)
        {
            events.Add(await bucket.PutAsync(log.Key, log.Compressed));
        }

        string truncated = await bucket.PutAsync("truncated.gz", logs[0].Compressed[..^100]);
        string missing = bucket.EventOf("missing.gz", "d41d8cd98f00b204e9800998ecf8427e", 1);
        string elsewhere = events[1].Replace(bucket.Name, "someone-elses-bucket", StringComparison.Ordinal);
        string replaced = await bucket.PutAsync("replaced.gz", logs[2].Compressed);
        await bucket.PutAsync("replaced.gz", logs[3].Compressed);

        // Twice: SQS may deliver everything more than once.
        await queue.SendAllAsync([.. events, .. events, truncated, missing, elsewhere, replaced, "no event"]);
        await using (RunningWorker worker = await RunningWorker.StartAsync(
            [.. Arguments(endpoint, bucket, elasticsearch), .. RunningWorker.SqsArguments(endpoint, queue), .. folder.Arguments,
                "--Handlers:CloudFront:MissingObjectDeliveries=1"]))
        {
            await queue.WaitForCountAsync(counts => counts.Total == 0);
            (await worker.StopAsync()).ShouldBe(0);
        }

        await ShouldHoldAsync(elasticsearch, logs, atLeast: true);
        (await deadLetters.DrainAsync()).Select(letter => letter.Attributes["DeadLetterReason"])
            .ShouldBe(["gzip-truncated", "object-missing", "event-wrong-bucket", "object-changed", "malformed-json"], ignoreOrder: true);
        folder
            .Bodies("row-too-few-columns")
            .Select(Encoding.UTF8.GetString)
            .ShouldBe(Enumerable.Range(0, 3).Select(number => $"bad row {number} of {logs[1].Key}"), ignoreOrder: true);
    }

    [Fact]
    public async Task Http_Event_IsAnsweredWhenEveryRowIsIndexed()
    {
        AwsEndpoint endpoint = await aws.RequireAsync();
        using LogBucket bucket = await LogBucket.CreateAsync(endpoint);
        await using StrictElasticsearch elasticsearch = await StrictElasticsearch.StartAsync();
        using var folder = new LetterFolder();
        ExpectedRows log = ExpectedRows.Create("a b.gz", 2_500, seed: 9);
        string notification = await bucket.PutAsync(log.Key, log.Compressed);
        string truncated = await bucket.PutAsync("truncated.gz", log.Compressed[..^1]);
        await using RunningWorker worker = await StartHttpAsync(endpoint, bucket, elasticsearch, folder);

        (await worker.PostAsync(Encoding.UTF8.GetBytes(notification))).Status.ShouldBe(HttpStatusCode.OK);
        await ShouldHoldAsync(elasticsearch, [log], atLeast: false);
        (await worker.PostAsync(Encoding.UTF8.GetBytes(truncated))).Status.ShouldBe(HttpStatusCode.UnprocessableEntity);

        folder.Bodies("gzip-truncated").Select(Encoding.UTF8.GetString).ShouldBe([truncated]);
        (await worker.StopAsync()).ShouldBe(0);
    }

    private static Task<RunningWorker> StartHttpAsync(AwsEndpoint endpoint, LogBucket bucket, StrictElasticsearch elasticsearch, LetterFolder folder) =>
        RunningWorker.StartAsync(
            [.. Arguments(endpoint, bucket, elasticsearch), "--Routes:archive:Source=Http", $"--Aws:Endpoint={endpoint.ServiceUrl}", .. folder.Arguments],
            endpoint.ToEnvironment());

    private static string[] Arguments(AwsEndpoint endpoint, LogBucket bucket, StrictElasticsearch elasticsearch) =>
    [
        "--Routes:archive:Handler=CloudFront",
        $"--Handlers:CloudFront:Buckets={bucket.Name}",
        $"--Aws:Region={endpoint.Region}",
        "--Routes:archive:Sink=Elasticsearch",
        $"--Sinks:Elasticsearch:Endpoint={elasticsearch.Address}",
        $"--Sinks:Elasticsearch:Index={Index}",
    ];

    /// <param name="elasticsearch">The server with the documents.</param>
    /// <param name="logs">The logs that the documents must match.</param>
    /// <param name="atLeast">True where a log that cannot be read to its end may add documents.</param>
    private static async Task ShouldHoldAsync(StrictElasticsearch elasticsearch, IReadOnlyList<ExpectedRows> logs, bool atLeast)
    {
        IReadOnlyList<JsonElement> documents = await elasticsearch.DocumentsAsync(Index);
        documents.ShouldAllBe(document => document.GetProperty("_version").GetInt64() == 1);
        ILookup<string, JsonElement> byObject = documents.ToLookup(document => IdOf(document)[..22], StringComparer.Ordinal);
        string[] found = [.. byObject.Select(group => TextOf(group))];
        string[] expected = [.. logs.Where(log => log.Documents.Count > 0).Select(log => string.Join('\n', log.Documents))];
        if (atLeast)
        {
            expected.ShouldBeSubsetOf(found);
        }
        else
        {
            found.ShouldBe(expected, ignoreOrder: true);
        }
    }

    private static string IdOf(JsonElement document) => document.GetProperty("_id").GetString()!;

    private static string TextOf(IEnumerable<JsonElement> documents) => string.Join(
        '\n',
        documents
            .OrderBy(document => long.Parse(IdOf(document)[23..], System.Globalization.CultureInfo.InvariantCulture))
            .Select(document => document.GetProperty("_source").GetRawText()));
}
