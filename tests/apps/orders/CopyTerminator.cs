using System.Security.Cryptography;
using Quayside.Messaging.Handlers;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Contexts;

namespace OrdersApp;

/// <summary>Stores each message under the SHA-256 of its bytes.</summary>
internal sealed class CopyTerminator(ObjectStore store) : ITerminator<MessageContext>
{
    public async ValueTask InvokeAsync(MessageContext context)
    {
        string key = Convert.ToHexStringLower(SHA256.HashData(context.Message.Body.Span));
        context.Settlement = await store.StoreAsync(key, context.Message.Body, context.CancellationToken);
    }
}
