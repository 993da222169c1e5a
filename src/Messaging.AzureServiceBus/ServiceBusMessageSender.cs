using Azure.Messaging.ServiceBus;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Publishing;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.AzureServiceBus;

/// <summary>
/// Sends messages to the queue or topic of <c>Sources:ServiceBus</c>, in batches as large as the broker accepts. Threads: any. Dispose waits for the link to
/// close.
/// </summary>
internal sealed class ServiceBusMessageSender : IMessageSender
{
    private const int DefaultBatch = 100;

    // This many failed calls in a row show that the broker fails, not the messages.
    private const int FailedCalls = 5;

    // Of messages without a group, in a queue with sessions.
    private const int Sessions = 10;

    private readonly ServiceBusClient _client;
    private readonly ServiceBusSender _sender;
    private readonly bool _needsSession;
    private int _failedCalls;
    private volatile string? _problem;

    private ServiceBusMessageSender(ServiceBusClient client, string target, bool needsSession, int batchSize)
    {
        _client = client;
        _needsSession = needsSession;
        _sender = client.CreateSender(target);
        Target = target;
        BatchSize = batchSize;
    }

    /// <inheritdoc/>
    public string Target { get; }

    /// <inheritdoc/>
    public string Accepted => "sent to";

    /// <inheritdoc/>
    // Calls share one link, which sends them one after another; a few keep the network busy.
    public int Concurrency => 4;

    /// <inheritdoc/>
    public int BatchSize { get; }

    /// <inheritdoc/>
    // A group is a session.
    public bool SendsGroups => true;

    /// <inheritdoc/>
    // The message id, which the worker also knows the message by.
    public bool SendsDeduplicationIds => true;

    /// <inheritdoc/>
    public string? Problem => _problem;

    /// <summary>Opens a sender and its link.</summary>
    /// <param name="client">The client (<see cref="ServiceBusSourceOptions.CreateClient"/>); the sender disposes it, also when opening fails.</param>
    /// <param name="options">The queue or topic.</param>
    /// <param name="cancellationToken">Ends the attempt to reach the broker.</param>
    /// <param name="batchSize">Messages per call of <see cref="SendAsync"/> at most.</param>
    /// <exception cref="StartupException">The queue or topic is missing, refuses access or is unreachable.</exception>
    public static async Task<IMessageSender> OpenAsync(
        ServiceBusClient client, ServiceBusSourceOptions options, CancellationToken cancellationToken, int batchSize = DefaultBatch)
    {
        ServiceBusMessageSender sender = new(client, (options.Queue ?? options.Topic)!, options.Sessions, batchSize);
        try
        {
            // Opens the link, so that a wrong setting fails here and not once per message.
            (await sender._sender.CreateMessageBatchAsync(cancellationToken)).Dispose();
            return sender;
        }
        catch (Exception exception)
        {
            sender.Dispose();
            if (cancellationToken.IsCancellationRequested)
            {
                throw;
            }

            throw ServiceBusFault.Of(exception).ToStartupException(sender.Target, "the right Send (role Azure Service Bus Data Sender)");
        }
    }

    /// <inheritdoc/>
    public string? CheckAttribute(string name, string value) => null;

    /// <inheritdoc/>
    public async Task<string?[]> SendAsync(IReadOnlyList<OutgoingMessage> messages, CancellationToken cancellationToken)
    {
        string?[] errors = new string?[messages.Count];
        int next = 0;
        while (next < messages.Count)
        {
            int first = next;
            try
            {
                using ServiceBusMessageBatch batch = await _sender.CreateMessageBatchAsync(cancellationToken);
                while (next < messages.Count && batch.TryAddMessage(Create(messages[next])))
                {
                    next++;
                }

                if (batch.Count == 0)
                {
                    errors[next] = $"The body has {messages[next].Body.Length:N0} bytes, too many for a message to {Target}.";
                    next++;
                    continue;
                }

                await _sender.SendMessagesAsync(batch, cancellationToken);
                _failedCalls = 0;
            }
            catch (Exception exception) when (!cancellationToken.IsCancellationRequested)
            {
                // If no batch could be created, the other messages would fail in the same way.
                next = next == first ? messages.Count : next;
                string error = ServiceBusFault.TextOf(exception);
                if (ServiceBusFault.Of(exception).Kind != ServiceBusFaultKind.TooLarge && Interlocked.Increment(ref _failedCalls) >= FailedCalls)
                {
                    _problem = error;
                }

                Array.Fill(
                    errors,
                    error.Contains("SessionId was not set", StringComparison.Ordinal)
                        ? $"{Target} requires sessions: set Sources:ServiceBus:Sessions to true, or name the sessions with --group"
                        : error, first, next - first);
            }
        }

        return errors;
    }

    /// <inheritdoc/>
    // The command ends here, so the thread may block until the link is closed.
    public void Dispose() => CloseAsync().GetAwaiter().GetResult();

    private async Task CloseAsync()
    {
        await _sender.DisposeAsync();
        await _client.DisposeAsync();
    }

    private ServiceBusMessage Create(OutgoingMessage outgoing)
    {
        ServiceBusMessage message = new(
            outgoing.Body)
        {
            MessageId = outgoing.DeduplicationId ?? outgoing.Id,
            ContentType = "application/json",
            SessionId = outgoing.Group ?? (_needsSession ? $"session-{outgoing.Id[^1] % Sessions}" : null)
        };
        foreach ((string name, string value) in outgoing.Attributes)
        {
            message.ApplicationProperties[name] = value;
        }

        if (outgoing.IsRedriven)
        {
            ServiceBusDelivery.SetNewId(message, outgoing.Id);
        }

        if (outgoing.SystemProperties is { } system)
        {
            message.Subject = system.GetValueOrDefault("subject");
            message.CorrelationId = system.GetValueOrDefault("correlation-id");
            message.ContentType = system.GetValueOrDefault("content-type");
            message.To = system.GetValueOrDefault("to");
            message.ReplyTo = system.GetValueOrDefault("reply-to");
        }

        if (MessageSpans.TryGetCurrent(out string? parent, out string? state))
        {
            message.ApplicationProperties["traceparent"] = parent;
            if (state is not null)
            {
                message.ApplicationProperties["tracestate"] = state;
            }
        }

        return message;
    }
}
