using System.Net.Http.Headers;
using System.Text;
using System.Text.Json.Nodes;

namespace Proof.Kills;

/// <summary>A queue of the emulator fauxqs, shared by two workers.</summary>
internal sealed class SqsSender : ISender
{
    private const int Waiting = 300;

    private readonly HttpClient _http;
    private readonly string _name;
    private string _queue = string.Empty;
    private string _deadLetters = string.Empty;

    private SqsSender(Uri server, string name)
    {
        _http = new HttpClient { BaseAddress = server };
        _name = name;
        Arguments =
        [
            "--Routes:archive:Source=Sqs", $"--Sources:Sqs:Queue={name}", "--Sources:Sqs:VisibilityTimeout=30s", "--Sources:Sqs:WaitTime=1s",
            $"--Aws:Endpoint={server}", "--Aws:Region=us-east-1", "--Aws:AccessKeyId=test", "--Aws:SecretAccessKey=test",
        ];
    }

    public IReadOnlyList<string> Arguments { get; }

    public int Workers => 2;

    public static async Task<SqsSender> CreateAsync(Uri server, int seed)
    {
        SqsSender sender = new(server, $"kill-{seed}");
        sender._deadLetters = (string)(await sender.CallAsync("CreateQueue", new() { ["QueueName"] = $"kill-{seed}-dead" }))["QueueUrl"]!;
        string arn = (string)(await sender.CallAsync(
            "GetQueueAttributes", new() { ["QueueUrl"] = sender._deadLetters, ["AttributeNames"] = new JsonArray("QueueArn") }))["Attributes"]!["QueueArn"]!;

        // A limit so high that the queue never dead-letters a message itself: only the workers do.
        sender._queue = (string)(await sender.CallAsync("CreateQueue", new()
        {
            ["QueueName"] = sender._name,
            ["Attributes"] = new JsonObject { ["RedrivePolicy"] = $"{{\"deadLetterTargetArn\":\"{arn}\",\"maxReceiveCount\":1000}}" },
        }))["QueueUrl"]!;
        return sender;
    }

    public async Task SendAsync(Ledger ledger, CancellationToken stop)
    {
        while (!stop.IsCancellationRequested)
        {
            if (await CountAsync("ApproximateNumberOfMessages") >= Waiting)
            {
                await Task.Delay(50, CancellationToken.None);
                continue;
            }

            await CallAsync("SendMessageBatch", new()
            {
                ["QueueUrl"] = _queue,
                ["Entries"] = new JsonArray(
                    [.. Enumerable
                        .Range(0, 10)
                        .Select(index => (JsonNode)new JsonObject { ["Id"] = $"{index}", ["MessageBody"] = Encoding.UTF8.GetString(ledger.Next().Body) })]),
            });
        }
    }

    public async Task<bool> IsSettledAsync()
    {
        JsonNode state = JsonNode.Parse(await _http.GetStringAsync($"/_fauxqs/queues/{_name}"))!;
        JsonArray inFlight = state["messages"]!["inflight"]!.AsArray();
        return inFlight.Count == 0 && await CountAsync("ApproximateNumberOfMessages") == 0;
    }

    public async Task<IReadOnlyList<byte[]>> ReadDeadLettersAsync()
    {
        List<byte[]> bodies = [];
        while (true)
        {
            JsonNode answer =
                await CallAsync("ReceiveMessage", new() { ["QueueUrl"] = _deadLetters, ["MaxNumberOfMessages"] = 10, ["VisibilityTimeout"] = 600 });
            JsonArray? messages = answer["Messages"]?.AsArray();
            if (messages is null || messages.Count == 0)
            {
                return bodies;
            }

            bodies.AddRange(messages.Select(message => Encoding.UTF8.GetBytes((string)message!["Body"]!)));
        }
    }

    public ValueTask DisposeAsync()
    {
        _http.Dispose();
        return ValueTask.CompletedTask;
    }

    private async Task<int> CountAsync(string attribute)
    {
        JsonNode answer = await CallAsync("GetQueueAttributes", new() { ["QueueUrl"] = _queue, ["AttributeNames"] = new JsonArray("All") });
        return int.Parse((string)answer["Attributes"]![attribute]!, System.Globalization.CultureInfo.InvariantCulture);
    }

    private async Task<JsonNode> CallAsync(string action, JsonObject input)
    {
        using HttpRequestMessage request = new(HttpMethod.Post, "/") { Content = new StringContent(input.ToJsonString()) };
        request.Content.Headers.ContentType = new MediaTypeHeaderValue("application/x-amz-json-1.0");
        request.Headers.Add("X-Amz-Target", $"AmazonSQS.{action}");
        request.Headers.TryAddWithoutValidation(
            "Authorization", "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/sqs/aws4_request, SignedHeaders=host, Signature=0");
        using HttpResponseMessage response = await _http.SendAsync(request);
        return JsonNode.Parse(await response.EnsureSuccessStatusCode().Content.ReadAsStringAsync())!;
    }
}
