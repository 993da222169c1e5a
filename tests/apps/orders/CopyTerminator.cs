using System.Security.Cryptography;
using System.Text;
using Messaging.Recoverability;
using Messaging.Sinks;
using Pipeline.Behaviors;
using Pipeline.Contexts;
using Pipeline.Settlements;

namespace OrdersApp;

/// <summary>Stores each message under the SHA-256 of its bytes. Tells the breaker how the sink does, so that an outage pauses the route.</summary>
internal sealed class CopyTerminator(IObjectSink sink, CircuitBreaker breaker) : ITerminator<PhysicalContext>
{
    public async ValueTask InvokeAsync(PhysicalContext context)
    {
        byte[] key = Encoding.ASCII.GetBytes(Convert.ToHexStringLower(SHA256.HashData(context.Message.Body.Span)));
        SinkResult result = await sink.StoreAsync(key, context.Message.Body, context.CancellationToken);
        string detail = result.Detail ?? $"The {sink.Name} sink: {result.Status}.";
        switch (result.Status)
        {
            case SinkStatus.Stored or SinkStatus.AlreadyStored:
                breaker.Succeeded();
                context.Settlement = Settlement.Complete;
                break;
            case SinkStatus.Transient:
                breaker.Failed(detail);
                context.Settlement = Settlement.Transient(detail, result.RetryAfter, retryInProcess: !result.Exhausted);
                break;
            case SinkStatus.Refused:
                breaker.Refused(detail);
                context.Settlement = Settlement.Refused(detail);
                break;
            case SinkStatus.Collision:
                breaker.Succeeded();
                context.Settlement = Settlement.DeadLetter("key-collision", detail);
                break;
            case SinkStatus.Rejected:
                breaker.Succeeded();
                context.Settlement = Settlement.DeadLetter("rejected", detail);
                break;
            default:
                // A defect of the sink: the message fails as if the sink had thrown.
                context.Settlement = Settlement.Undecided($"The sink {sink.Name} returned the status {result.Status}, which decides nothing.");
                break;
        }
    }
}
