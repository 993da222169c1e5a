using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Sources.Channels;

namespace Benchmarks.Handlers;

/// <summary>Messages through the only channel route of a worker in this process.</summary>
internal sealed class ChannelMessages(IServiceProvider services)
{
    private readonly ChannelPublisher _publisher = (ChannelPublisher)services.GetRequiredService<IMessagePublisher>();

    /// <summary>Publishes a body so many times, and returns when the route has settled all.</summary>
    /// <exception cref="InvalidOperationException">A message was not completed.</exception>
    public async Task SendAsync(byte[] body, int messages)
    {
        long before = _publisher.Completed;
        for (int i = 0; i < messages; i++)
        {
            await _publisher.PublishAsync(body);
        }

        await _publisher.WhenSettledAsync(CancellationToken.None);
        if (_publisher.Completed - before != messages)
        {
            throw new InvalidOperationException($"Of {messages} messages {_publisher.Completed - before} were completed.");
        }
    }
}
