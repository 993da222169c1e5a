using System.Collections.Concurrent;
using System.Text.Json;
using System.Threading.Channels;
using Microsoft.AspNetCore.Http;
using Worker.Tests.Aws.Sqs.Wire;

namespace Worker.Tests.Aws.Sqs;

/// <summary>
/// SQS as a test scripts it: returns a test's deliveries, answers every other call with success unless the script says
/// otherwise, and records every call. It keeps no state of messages: the test decides what is delivered when.
/// </summary>
internal sealed class FakeQueue : IAsyncDisposable
{
    private readonly Channel<FakeMessage[]> _deliveries = Channel.CreateUnbounded<FakeMessage[]>();
    private readonly ConcurrentQueue<QueueCall> _calls = new();
    private readonly CancellationTokenSource _end = new();
    private FakeService? _service;
    private int _polling;

    public Uri Address => _service!.Address;

    /// <summary>The queue's attributes.</summary>
    public ConcurrentDictionary<string, string> Attributes { get; } = new(StringComparer.Ordinal)
    {
        ["QueueArn"] = "arn:aws:sqs:eu-west-1:123456789012:orders",
        ["VisibilityTimeout"] = "30",
        ["RedrivePolicy"] = """{"deadLetterTargetArn":"arn:aws:sqs:eu-west-1:123456789012:dead","maxReceiveCount":10}""",
    };

    /// <summary>Names of queues that do not exist.</summary>
    public ConcurrentDictionary<string, bool> Missing { get; } = new(StringComparer.Ordinal);

    /// <summary>Returns an answer that replaces the usual one, or null for the usual one. Called by many threads.</summary>
    public Func<QueueCall, QueueAnswer?> Script { get; set; } = _ => null;

    /// <summary>Answers empty receives immediately, also long polls.</summary>
    public bool AnswersEmptyAtOnce { get; set; }

    /// <summary>The calls that its client has not ended.</summary>
    public OpenCalls Open { get; } = new();

    /// <summary>Number of waiting long polls.</summary>
    public int Polling => Volatile.Read(ref _polling);

    public IReadOnlyList<QueueCall> Calls => [.. _calls];

    public IReadOnlyList<QueueCall> Receives => Of("ReceiveMessage");

    public IReadOnlyList<QueueCall> Deletes => Of("DeleteMessageBatch");

    public IReadOnlyList<QueueCall> VisibilityChanges => Of("ChangeMessageVisibilityBatch");

    public IReadOnlyList<QueueCall> Sends => Of("SendMessage");

    public static async Task<FakeQueue> StartAsync()
    {
        FakeQueue queue = new();
        queue._service = await FakeService.StartAsync((context, _) => queue.AnswerAsync(context));
        return queue;
    }

    /// <summary>Makes it a FIFO queue with a FIFO dead-letter queue.</summary>
    public void MakeFifo()
    {
        Attributes["FifoQueue"] = "true";
        Attributes["RedrivePolicy"] = """{"deadLetterTargetArn":"arn:aws:sqs:eu-west-1:123456789012:dead.fifo","maxReceiveCount":10}""";
    }

    /// <summary>The answer of one of the next receives: up to 10 messages together, the most that a receive can bring.</summary>
    public void Deliver(params FakeMessage[] messages) => _deliveries.Writer.TryWrite(messages).ShouldBeTrue();

    /// <summary>Delivers the messages in as many receives as necessary.</summary>
    public void DeliverAll(IEnumerable<FakeMessage> messages)
    {
        foreach (FakeMessage[] batch in messages.Chunk(10))
        {
            Deliver(batch);
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _end.CancelAsync();
        await _service!.DisposeAsync();
        _end.Dispose();
    }

    private QueueCall[] Of(string operation) => [.. _calls.Where(call => call.Operation == operation)];

    private async Task AnswerAsync(HttpContext context)
    {
        FakeRequest request = context.Features.Get<FakeRequest>()!;
        QueueCall call = new(request.Headers["X-Amz-Target"]["AmazonSQS.".Length..], request.Json);
        _calls.Enqueue(call);
        try
        {
            using CancellationTokenSource gone = CancellationTokenSource.CreateLinkedTokenSource(context.RequestAborted, _end.Token);
            QueueAnswer? scripted = Script(call);
            if (scripted is not null)
            {
                Open.Wait(context, scripted.Gate);
                await scripted.Gate.WaitAsync(gone.Token);
            }

            if (scripted is { Status: 0 })
            {
                context.Abort();
                return;
            }

            if (scripted?.RetryAfter is { } seconds)
            {
                context.Response.Headers.RetryAfter = seconds;
            }

            (int status, string body) = scripted?.Body is { } given ? (scripted.Status, given) : await UsualAsync(context, call, gone.Token);
            await FakeService.AnswerAsync(context, status, body);
        }
        catch (OperationCanceledException)
        {
            context.Abort();
        }
    }

    private async ValueTask<(int Status, string Body)> UsualAsync(HttpContext context, QueueCall call, CancellationToken gone)
    {
        switch (call.Operation)
        {
            case "GetQueueUrl":
                string name = call.Text("QueueName");
                return Missing.ContainsKey(name)
                    ? (400, QueueAnswer.Error(400, "QueueDoesNotExist").Body!)
                    : (200, JsonSerializer.Serialize(new { QueueUrl = UrlOf(name) }));
            case "GetQueueAttributes":
                return (200, JsonSerializer.Serialize(new { Attributes }));
            case "ReceiveMessage":
                FakeMessage[] messages = await ReceiveAsync(context, call.Json.GetProperty("WaitTimeSeconds").GetInt32(), gone);
                call.Json.GetProperty("MaxNumberOfMessages").GetInt32().ShouldBeGreaterThanOrEqualTo(messages.Length, "The delivery was meant for a receive with more slots.");
                return (200, $"{{\"Messages\":[{string.Join(',', messages.Select(message => message.ToString()))}]}}");
            case "SendMessage":
                return (200, JsonSerializer.Serialize(new { MessageId = Guid.NewGuid() }));
            case "SendMessageBatch":
                return (200, JsonSerializer.Serialize(new { Successful = call.Json.GetProperty("Entries").EnumerateArray().Select((_, index) => new { Id = $"{index}", MessageId = Guid.NewGuid() }) }));
            default:
                return (200, QueueAnswer.Failing(call, string.Empty, senderFault: false, _ => false).Body!);
        }
    }

    private async ValueTask<FakeMessage[]> ReceiveAsync(HttpContext context, int waitSeconds, CancellationToken gone)
    {
        if (_deliveries.Reader.TryRead(out FakeMessage[]? messages))
        {
            return messages;
        }

        if (AnswersEmptyAtOnce || waitSeconds == 0)
        {
            return [];
        }

        using CancellationTokenSource patience = CancellationTokenSource.CreateLinkedTokenSource(gone);
        patience.CancelAfter(TimeSpan.FromSeconds(waitSeconds));
        Interlocked.Increment(ref _polling);
        try
        {
            Task<FakeMessage[]> reading = _deliveries.Reader.ReadAsync(patience.Token).AsTask();
            Open.Wait(context, reading);
            return await reading;
        }
        catch (OperationCanceledException) when (!gone.IsCancellationRequested)
        {
            return [];
        }
        finally
        {
            Interlocked.Decrement(ref _polling);
        }
    }

    private static string UrlOf(string name) => $"https://sqs.eu-west-1.amazonaws.com/123456789012/{name}";
}
