using System.Net.Http.Headers;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace Integration.Tests.Servers;

/// <summary>
/// A queue that a test fills, reads and counts through a client that shares no code with the worker's. Emulators take
/// the region from the Authorization header and do not check the signature, so none is computed.
/// </summary>
internal sealed class SqsQueue : IDisposable
{
    private readonly HttpClient _http;
    private readonly AwsEndpoint _endpoint;

    private SqsQueue(HttpClient http, AwsEndpoint endpoint)
    {
        _http = http;
        _endpoint = endpoint;
    }

    public string Url { get; private set; } = "";

    public string Arn { get; private set; } = "";

    public string Name { get; private set; } = "";

    /// <summary>A queue that no other test has.</summary>
    /// <param name="attributes">SQS attributes, such as VisibilityTimeout in seconds.</param>
    /// <param name="isFifo">Ordered within a group.</param>
    /// <param name="deadLetters">The dead-letter queue of messages after <paramref name="maxReceiveCount"/> receives.</param>
    public static async Task<SqsQueue> CreateAsync(
        AwsEndpoint endpoint, IReadOnlyDictionary<string, string>? attributes = null, bool isFifo = false, SqsQueue? deadLetters = null,
        int maxReceiveCount = 10)
    {
        var queue = new SqsQueue(new HttpClient { BaseAddress = endpoint.ServiceUrl, Timeout = TimeSpan.FromSeconds(60) }, endpoint)
        {
            Name = $"test-{Guid.NewGuid():n}{(isFifo ? ".fifo" : "")}",
        };
        var all = new Dictionary<string, string>(attributes ?? new Dictionary<string, string>(StringComparer.Ordinal), StringComparer.Ordinal);
        if (isFifo)
        {
            all["FifoQueue"] = "true";
        }

        if (deadLetters is not null)
        {
            all["RedrivePolicy"] = JsonSerializer.Serialize(new { deadLetterTargetArn = deadLetters.Arn, maxReceiveCount });
        }

        JsonNode created = await queue.CallAsync("CreateQueue", new { QueueName = queue.Name, Attributes = all });
        queue.Url = created["QueueUrl"]!.GetValue<string>();
        queue.Arn = (await queue.AttributesAsync())["QueueArn"];
        return queue;
    }

    /// <returns>The message's id.</returns>
    public async Task<string> SendAsync(
        string body, string? group = null, string? deduplicationId = null, IReadOnlyDictionary<string, string>? attributes = null)
    {
        var request = new JsonObject { ["QueueUrl"] = Url, ["MessageBody"] = body };
        if (attributes is not null)
        {
            request["MessageAttributes"] = new JsonObject(
                attributes.Select(
                    attribute => KeyValuePair.Create<string, JsonNode?>(
                        attribute.Key, new JsonObject { ["DataType"] = "String", ["StringValue"] = attribute.Value })));
        }

        if (group is not null)
        {
            request["MessageGroupId"] = group;
            request["MessageDeduplicationId"] = deduplicationId ?? Guid.NewGuid().ToString("n");
        }

        return (await CallAsync("SendMessage", request))["MessageId"]!.GetValue<string>();
    }

    /// <summary>Sends in batches of ten.</summary>
    public async Task SendAllAsync(IEnumerable<string> bodies)
    {
        foreach (string[] batch in bodies.Chunk(10))
        {
            JsonNode answer = await CallAsync("SendMessageBatch", new
            {
                QueueUrl = Url,
                Entries = batch.Select((body, index) => new { Id = $"e{index}", MessageBody = body }),
            });
            if (answer["Failed"] is JsonArray { Count: > 0 } failed)
            {
                throw new InvalidOperationException($"SendMessageBatch: {failed.ToJsonString()}");
            }
        }
    }

    /// <summary>Receives without deleting; the messages stay hidden for the queue's visibility timeout.</summary>
    public async Task<SqsMessage[]> ReceiveAsync(int atMost = 10, int waitSeconds = 0)
    {
        JsonNode answer = await CallAsync("ReceiveMessage", new
        {
            QueueUrl = Url,
            MaxNumberOfMessages = atMost,
            WaitTimeSeconds = waitSeconds,
            AttributeNames = (string[])["All"],
            MessageAttributeNames = (string[])["All"],
        });
        return [.. (answer["Messages"]?.AsArray() ?? []).Select(SqsMessage.Parse!)];
    }

    public Task DeleteAsync(SqsMessage message) => CallAsync("DeleteMessage", new { QueueUrl = Url, message.ReceiptHandle });

    /// <summary>Receives and deletes until no message is visible, for example to read a dead-letter queue.</summary>
    public async Task<List<SqsMessage>> DrainAsync()
    {
        var all = new List<SqsMessage>();
        while (await ReceiveAsync() is { Length: > 0 } messages)
        {
            foreach (SqsMessage message in messages)
            {
                all.Add(message);
                await DeleteAsync(message);
            }
        }

        return all;
    }

    public async Task<SqsCounts> CountAsync()
    {
        Dictionary<string, string> attributes = await AttributesAsync();
        return new SqsCounts(
            int.Parse(attributes["ApproximateNumberOfMessages"]),
            int.Parse(attributes["ApproximateNumberOfMessagesNotVisible"]),
            int.Parse(attributes.GetValueOrDefault("ApproximateNumberOfMessagesDelayed", "0")));
    }

    /// <summary>Waits until the counts satisfy the condition.</summary>
    public async Task WaitForCountAsync(Func<SqsCounts, bool> condition, TimeSpan? timeout = null)
    {
        TimeSpan limit = timeout ?? TimeSpan.FromSeconds(60);
        long start = TimeProvider.System.GetTimestamp();
        while (true)
        {
            SqsCounts counts = await CountAsync();
            if (condition(counts))
            {
                return;
            }

            if (TimeProvider.System.GetElapsedTime(start) > limit)
            {
                throw new TimeoutException($"{Name} holds {counts} after {limit}.");
            }

            await Task.Delay(50);
        }
    }

    /// <summary>
    /// Ends the visibility timeout of every message in flight: fauxqs shows the handles in flight, and each timeout is
    /// set to zero. So tests need not wait 30 s, the worker's shortest timeout, and the worker runs as configured.
    /// </summary>
    /// <returns>How many messages were in flight.</returns>
    public async Task<int> ExpireVisibilityAsync()
    {
        string[] handles = await HandlesInFlightAsync();
        foreach (string[] batch in handles.Chunk(10))
        {
            await CallAsync("ChangeMessageVisibilityBatch", new
            {
                QueueUrl = Url,
                Entries = batch.Select((handle, index) => new { Id = $"e{index}", ReceiptHandle = handle, VisibilityTimeout = 0 }),
            });
        }

        return handles.Length;
    }

    /// <summary>The receipt handles of all messages in flight; only fauxqs shows them.</summary>
    public async Task<string[]> HandlesInFlightAsync()
    {
        JsonNode state = JsonNode.Parse(await _http.GetStringAsync($"/_fauxqs/queues/{Name}"))!;
        return [.. state["messages"]!["inflight"]!.AsArray().Select(message => message!["receiptHandle"]!.GetValue<string>())];
    }

    public void Dispose() => _http.Dispose();

    private async Task<Dictionary<string, string>> AttributesAsync()
    {
        JsonNode answer = await CallAsync("GetQueueAttributes", new { QueueUrl = Url, AttributeNames = (string[])["All"] });
        return answer["Attributes"].Deserialize<Dictionary<string, string>>()!;
    }

    private async Task<JsonNode> CallAsync(string action, object request)
    {
        using var message = new HttpRequestMessage(HttpMethod.Post, "/") { Content = new ByteArrayContent(JsonSerializer.SerializeToUtf8Bytes(request)) };
        message.Content.Headers.ContentType = new MediaTypeHeaderValue("application/x-amz-json-1.0");
        message.Headers.Add("X-Amz-Target", $"AmazonSQS.{action}");
        message.Headers.TryAddWithoutValidation(
            "Authorization",
            $"AWS4-HMAC-SHA256 Credential={_endpoint.AccessKey}/20260101/{_endpoint.Region}/sqs/aws4_request, SignedHeaders=host, Signature=none");
        using HttpResponseMessage response = await _http.SendAsync(message);
        string text = await response.Content.ReadAsStringAsync();
        return response.IsSuccessStatusCode
            ? JsonNode.Parse(text.Length == 0 ? "{}" : text)!
            : throw new InvalidOperationException($"{action} on {_endpoint.Implementation}: {(int)response.StatusCode} {text}");
    }
}
