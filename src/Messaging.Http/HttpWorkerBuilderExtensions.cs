using Messaging.Hosting;
using Messaging.Http.Source;

namespace Messaging.Http;

/// <summary>Adds HTTP to a worker.</summary>
public static class HttpWorkerBuilderExtensions
{
    /// <summary>Adds the source <c>Http</c>: <c>POST /messages</c>, answered after the message was stored. Settings: <c>Sources:Http</c> and <c>Hosting</c>.</summary>
    public static IMessageWorkerBuilder AddHttp(this IMessageWorkerBuilder builder)
    {
        builder.Services.AddMessagesEndpoint();
        return builder.AddSource(new HttpSourceFeature());
    }
}
