using Messaging.Hosting;
using Messaging.Publishing;
using Messaging.AzureServiceBus.Port;

namespace Messaging.AzureServiceBus;

/// <summary>Sends messages to the queue or topic of <c>Sources:ServiceBus</c>, in batches as large as the broker accepts. Threads: any. Dispose waits for the link to close.</summary>
public sealed class ServiceBusMessageSender : IMessageSender
{
    private const int DefaultBatch = 100;

    private readonly IServiceBusSender _sender;

    private ServiceBusMessageSender(IServiceBusSender sender, string target, int batchSize)
    {
        _sender = sender;
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

    /// <summary>Opens a sender and its link.</summary>
    /// <param name="options">The queue or topic.</param>
    /// <param name="connector">Opens the client.</param>
    /// <param name="cancellationToken">Ends the attempt to reach the broker.</param>
    /// <param name="batchSize">Messages per call of <see cref="SendAsync"/> at most.</param>
    /// <exception cref="StartupException">The queue or topic is missing, refuses access or is unreachable.</exception>
    public static async Task<IMessageSender> OpenAsync(ServiceBusSourceOptions options, IServiceBusConnector connector, CancellationToken cancellationToken, int batchSize = DefaultBatch)
    {
        string target = (options.Queue ?? options.Topic)!;
        try
        {
            ServiceBusMessageSender sender = new(connector.OpenSender(options), target, batchSize);
            try
            {
                // Opens the link, so that a wrong setting fails here and not once per message.
                (await sender._sender.CreateBatchAsync(cancellationToken)).Dispose();
                return sender;
            }
            catch
            {
                sender.Dispose();
                throw;
            }
        }
        catch (ServiceBusFaultException exception)
        {
            throw new StartupException($"Service Bus {target}: {exception.Message.TrimEnd('.')}. Check the connection, the entity's name and the right Send (role Azure Service Bus Data Sender).", exception.Fault.Kind == ServiceBusFaultKind.Unauthorized ? ExitCodes.NoPermission : ExitCodes.Unavailable, exception);
        }
    }

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
                using IOutgoingBatch batch = await _sender.CreateBatchAsync(cancellationToken);
                while (next < messages.Count && batch.TryAdd(messages[next].Id, messages[next].Body))
                {
                    next++;
                }

                if (batch.Count == 0)
                {
                    errors[next] = $"The body has {messages[next].Body.Length:N0} bytes, too many for a message to {Target}.";
                    next++;
                    continue;
                }

                await _sender.SendAsync(batch, cancellationToken);
            }
            catch (ServiceBusFaultException exception)
            {
                // If no batch could be created, the other messages would fail in the same way.
                next = next == first ? messages.Count : next;
                Array.Fill(errors, exception.Message, first, next - first);
            }
        }

        return errors;
    }

    /// <inheritdoc/>
    // The command ends here, so the thread may block until the link is closed.
    public void Dispose() => _sender.DisposeAsync().AsTask().GetAwaiter().GetResult();
}
