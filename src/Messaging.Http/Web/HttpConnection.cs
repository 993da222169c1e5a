using Microsoft.AspNetCore.Connections;

namespace Messaging.Http.Web;

/// <summary>One connection of the web server. <see cref="HttpConnections"/> owns its state and guards it with its own gate.</summary>
internal sealed class HttpConnection
{
    public HttpConnection(HttpConnections owner, ConnectionContext transport, long openedAt)
    {
        Owner = owner;
        Transport = transport;
        OpenedAt = openedAt;
        Node = new LinkedListNode<HttpConnection>(this);
    }

    public HttpConnections Owner { get; }

    public ConnectionContext Transport { get; }

    public long OpenedAt { get; }

    /// <summary>When its last request was answered.</summary>
    public long IdleSince { get; set; }

    /// <summary>When the answer to its current request began.</summary>
    public long AnsweringSince { get; set; }

    /// <summary>Its node in one of the owner's lists; in none from the beginning of a request to that of its answer.</summary>
    public LinkedListNode<HttpConnection> Node { get; }

    /// <summary>True until either side closes it.</summary>
    public bool IsOpen { get; set; } = true;

    /// <summary>True while it counts above the limit: it may then read only the health pages.</summary>
    public bool IsReserve { get; set; }
}
