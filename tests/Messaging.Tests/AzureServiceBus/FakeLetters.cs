using Azure.Messaging.ServiceBus;

namespace Messaging.Tests.AzureServiceBus;

/// <summary>
/// The dead-letter queue of a queue, whose sequence numbers have no gaps, and a client that redrives it. A received dead letter stays locked. Of the
/// messages that are sent, some become dead letters again immediately. Threads: one at a time, as a redrive uses it.
/// </summary>
internal sealed class FakeLetters : ServiceBusClient
{
    private readonly SortedDictionary<long, ServiceBusReceivedMessage> _letters = [];
    private readonly HashSet<long> _locked = [];
    private long _last;

    /// <summary>The names of sent messages that become dead letters again: their ids before the redrive.</summary>
    public HashSet<string> Again { get; } = new(StringComparer.Ordinal);

    /// <summary>The failure of a completion, by how many were tried before; null lets it succeed.</summary>
    public Func<int, Exception?> FailComplete { get; set; } = _ => null;

    /// <summary>The failure of every send; null lets them succeed.</summary>
    public Exception? FailSend { get; set; }

    /// <summary>Attempts to complete a dead letter.</summary>
    public int Completions { get; private set; }

    public List<ServiceBusMessage> Sent { get; } = [];

    public int Count => _letters.Count;

    public void Add(string id) => Add(new ServiceBusMessage("{") { MessageId = id });

    /// <summary>Locks a dead letter for another receiver.</summary>
    public void Lock(long number) => _locked.Add(number);

    public override ServiceBusReceiver CreateReceiver(string queueName, ServiceBusReceiverOptions options)
    {
        options.SubQueue.ShouldBe(SubQueue.DeadLetter);
        return new Receiver(this);
    }

    public override ServiceBusSender CreateSender(string queueOrTopicName) => new Sender(this);

    public override ValueTask DisposeAsync() => default;

    private void Add(ServiceBusMessage message) => _letters.Add(++_last, ServiceBusModelFactory.ServiceBusReceivedMessage(
        body: message.Body,
        messageId: message.MessageId,
        properties: new Dictionary<string, object>(message.ApplicationProperties, StringComparer.Ordinal) { ["DeadLetterReason"] = "malformed-json" },
        lockTokenGuid: Guid.NewGuid(),
        sequenceNumber: _last));

    private sealed class Receiver(FakeLetters queue) : ServiceBusReceiver
    {
        public override Task<IReadOnlyList<ServiceBusReceivedMessage>> PeekMessagesAsync(
            int maxMessages, long? fromSequenceNumber = null, CancellationToken cancellationToken = default) =>
            Task.FromResult<IReadOnlyList<ServiceBusReceivedMessage>>(
                [.. queue._letters.Where(letter => letter.Key >= fromSequenceNumber).Take(maxMessages).Select(letter => letter.Value)]);

        public override Task<ServiceBusReceivedMessage> ReceiveMessageAsync(TimeSpan? maxWaitTime = null, CancellationToken cancellationToken = default)
        {
            (long number, ServiceBusReceivedMessage? letter) = queue._letters.FirstOrDefault(letter => !queue._locked.Contains(letter.Key));
            queue._locked.Add(number);
            return Task.FromResult(letter)!;
        }

        public override Task CompleteMessageAsync(ServiceBusReceivedMessage message, CancellationToken cancellationToken = default)
        {
            if (queue.FailComplete(queue.Completions++) is { } fault)
            {
                return Task.FromException(fault);
            }

            queue._letters.Remove(message.SequenceNumber);
            return Task.CompletedTask;
        }

        public override Task AbandonMessageAsync(
            ServiceBusReceivedMessage message, IDictionary<string, object>? propertiesToModify = null, CancellationToken cancellationToken = default) =>
            Task.CompletedTask;
    }

    private sealed class Sender(FakeLetters queue) : ServiceBusSender
    {
        public override ValueTask<ServiceBusMessageBatch> CreateMessageBatchAsync(CancellationToken cancellationToken = default) =>
            new(ServiceBusModelFactory.ServiceBusMessageBatch(0, []));

        public override Task SendMessageAsync(ServiceBusMessage message, CancellationToken cancellationToken = default)
        {
            if (queue.FailSend is { } fault)
            {
                return Task.FromException(fault);
            }

            queue.Sent.Add(message);
            if (queue.Again.Contains((string)message.ApplicationProperties["RedrivenMessageId"]))
            {
                queue.Add(message);
            }

            return Task.CompletedTask;
        }
    }
}
