using System.Text;
using System.Text.Json;
using Benchmarks.Aws.Wire;
using Benchmarks.Keys;

namespace Benchmarks.EndToEnd.Clients;

/// <summary>
/// The code that the worker is compared with: the loop that a competent developer writes. Each of a few loops receives a batch, sends
/// every message through a chain of closures to a PUT, waits for all, and deletes the batch.
/// </summary>
internal sealed class TwinLoop(IQueueClient sqs, IObjectWriter writer, int loops)
{
    public Task RunAsync() => Task.WhenAll(Enumerable.Range(0, loops).Select(_ => Task.Run(LoopAsync)));

    private async Task LoopAsync()
    {
        while (true)
        {
            SqsShapes.Received[] messages = await sqs.ReceiveAsync();
            if (messages.Length == 0)
            {
                continue;
            }

            await Task.WhenAll(messages.Select(ProcessAsync));
            await sqs.DeleteAsync(messages);
        }
    }

    private Task ProcessAsync(SqsShapes.Received message)
    {
        // Three behaviours around the handler, as frameworks chain them.
        Func<Task> handle = () => StoreAsync(message);
        Func<Task> limited = () => message.Body.Length <= 1024 * 1024 ? handle() : throw new InvalidDataException("too large");
        Func<Task> retried = () => RetryAsync(limited);
        return retried();
    }

    private static async Task RetryAsync(Func<Task> next)
    {
        for (int attempt = 1; ; attempt++)
        {
            try
            {
                await next();
                return;
            }
            catch (HttpRequestException) when (attempt < 3)
            {
                await Task.Delay(100 * attempt);
            }
        }
    }

    private Task StoreAsync(SqsShapes.Received received)
    {
        KeyMessage message = JsonSerializer.Deserialize(received.Body, KeyMessageContext.Default.KeyMessage)!;
        return writer.PutAsync(StringCreateKey.Of(message), Encoding.UTF8.GetBytes(received.Body), onlyIfAbsent: true);
    }
}
