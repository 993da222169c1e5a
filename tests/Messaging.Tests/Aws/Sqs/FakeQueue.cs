using System.Collections.Concurrent;
using System.Net;
using System.Text;
using System.Text.Json;
using System.Threading.Channels;
using Messaging.Tests.Aws.Sqs.Wire;
using Microsoft.AspNetCore.Http;

namespace Messaging.Tests.Aws.Sqs;

/// <summary>
/// SQS as a test scripts it: returns a test's deliveries, answers every other call with success unless the script says
/// otherwise, and records every call. It keeps no state of messages: the test decides what is delivered when. A source reaches it without
/// a network through <see cref="CreateHandler"/>; what makes its own client, through the server of <see cref="StartAsync"/>.
/// </summary>
/// <param name="time">The clock of its long polls; null for the system's.</param>
internal sealed class FakeQueue(TimeProvider? time = null) : IAsyncDisposable
{
    private readonly TimeProvider _time = time ?? TimeProvider.System;

    private readonly Channel<FakeMessage[]> _deliveries = Channel.CreateUnbounded<FakeMessage[]>();
    private readonly ConcurrentQueue<QueueCall> _calls = new();
    private readonly CancellationTokenSource _end = new();
    private FakeService? _service;
    private int _polling;

    public Uri Address => _service?.Address ?? new Uri("http://queue.test");

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
    public bool AnswersEmptyImmediately { get; set; }

    /// <summary>Number of waiting long polls.</summary>
    public int Polling => Volatile.Read(ref _polling);

    public IReadOnlyList<QueueCall> Calls => [.. _calls];

    public IReadOnlyList<QueueCall> Receives => Of("ReceiveMessage");

    public IReadOnlyList<QueueCall> Deletes => Of("DeleteMessageBatch");

    public IReadOnlyList<QueueCall> VisibilityChanges => Of("ChangeMessageVisibilityBatch");

    public IReadOnlyList<QueueCall> Sends => Of("SendMessage");

    /// <summary>A connection to the queue without a network.</summary>
    public HttpMessageHandler CreateHandler() => new Handler(this);

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
        if (_service is not null)
        {
            await _service.DisposeAsync();
        }

        _end.Dispose();
    }

    private QueueCall[] Of(string operation) => [.. _calls.Where(call => call.Operation == operation)];

    private async Task AnswerAsync(HttpContext context)
    {
        FakeRequest request = context.Features.Get<FakeRequest>()!;
        try
        {
            QueueAnswer answer = await AnswerAsync(request.Headers["X-Amz-Target"], request.Json, context.RequestAborted);
            if (answer.Status == 0)
            {
                context.Abort();
                return;
            }

            if (answer.RetryAfter is { } seconds)
            {
                context.Response.Headers.RetryAfter = seconds;
            }

            await FakeService.AnswerAsync(context, answer.Status, answer.Body!);
        }
        catch (OperationCanceledException)
        {
            context.Abort();
        }
    }

    /// <returns>An answer with a body, or <see cref="QueueAnswer.Lost"/>.</returns>
    private async Task<QueueAnswer> AnswerAsync(string target, JsonElement json, CancellationToken aborted)
    {
        QueueCall call = new(target["AmazonSQS.".Length..], json);
        _calls.Enqueue(call);
        using CancellationTokenSource gone = CancellationTokenSource.CreateLinkedTokenSource(aborted, _end.Token);
        QueueAnswer? scripted = Script(call);
        if (scripted is not null)
        {
            await scripted.Gate.WaitAsync(gone.Token);
        }

        return scripted is { Status: 0 } or { Body: not null } ? scripted : await UsualAsync(call, gone.Token) with { RetryAfter = scripted?.RetryAfter };
    }

    private async ValueTask<QueueAnswer> UsualAsync(QueueCall call, CancellationToken gone)
    {
        switch (call.Operation)
        {
            case "GetQueueUrl":
                string name = call.Text("QueueName");
                return Missing.ContainsKey(name)
                    ? QueueAnswer.Error(400, "QueueDoesNotExist")
                    : new QueueAnswer(200, JsonSerializer.Serialize(new { QueueUrl = UrlOf(name) }));
            case "GetQueueAttributes":
                return new QueueAnswer(200, JsonSerializer.Serialize(new { Attributes }));
            case "ReceiveMessage":
                FakeMessage[] messages = await ReceiveAsync(call.Json.GetProperty("WaitTimeSeconds").GetInt32(), gone);
                call.Json
                    .GetProperty("MaxNumberOfMessages")
                    .GetInt32()
                    .ShouldBeGreaterThanOrEqualTo(messages.Length, "The delivery was meant for a receive with more slots.");
                return new QueueAnswer(200, $"{{\"Messages\":[{string.Join(',', messages.Select(message => message.ToString()))}]}}");
            case "SendMessage":
                return new QueueAnswer(200, JsonSerializer.Serialize(new { MessageId = Guid.NewGuid() }));
            case "SendMessageBatch":
                return new QueueAnswer(
                    200, JsonSerializer.Serialize(
                        new
                        {
                            Successful = call.Json
                            .GetProperty("Entries")
                            .EnumerateArray()
                            .Select((_, index) => new { Id = $"{index}", MessageId = Guid.NewGuid() })
                        }));
            default:
                return QueueAnswer.Failing(call, string.Empty, senderFault: false, _ => false);
        }
    }

    private async ValueTask<FakeMessage[]> ReceiveAsync(int waitSeconds, CancellationToken gone)
    {
        if (_deliveries.Reader.TryRead(out FakeMessage[]? messages))
        {
            return messages;
        }

        if (AnswersEmptyImmediately || waitSeconds == 0)
        {
            return [];
        }

        using CancellationTokenSource wait = new(TimeSpan.FromSeconds(waitSeconds), _time);
        using CancellationTokenSource ended = CancellationTokenSource.CreateLinkedTokenSource(gone, wait.Token);
        Interlocked.Increment(ref _polling);
        try
        {
            return await _deliveries.Reader.ReadAsync(ended.Token);
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

    private sealed class Handler(FakeQueue queue) : HttpMessageHandler
    {
        protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            byte[] body = await request.Content!.ReadAsByteArrayAsync(cancellationToken);

            // As over a network, nothing is answered before the caller has gone on.
            await Task.Yield();
            QueueAnswer answer =
                await queue.AnswerAsync(request.Headers.NonValidated["X-Amz-Target"].ToString(), JsonDocument.Parse(body).RootElement, cancellationToken);
            if (answer.Status == 0)
            {
                throw new HttpRequestException(HttpRequestError.ResponseEnded, "The response ended prematurely.");
            }

            HttpResponseMessage response = new((HttpStatusCode)answer.Status)
            { Content = new StringContent(answer.Body!, Encoding.UTF8, "application/x-amz-json-1.0"), RequestMessage = request };
            if (answer.RetryAfter is { } seconds)
            {
                response.Headers.TryAddWithoutValidation("Retry-After", seconds);
            }

            return response;
        }
    }
}
