using Microsoft.AspNetCore.Connections;

namespace Messaging.Http.Web;

/// <summary>One connection of the web server. Its state is <see cref="HttpConnections"/>' own, under that one's gate.</summary>
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

    /// <summary>Its place among the connections without a request; in no list while it has one.</summary>
    public LinkedListNode<HttpConnection> Node { get; }

    /// <summary>True until it is closed or closes itself.</summary>
    public bool IsOpen { get; set; } = true;

    /// <summary>True while it is one of those above the limit: they may read the health pages only.</summary>
    public bool IsReserve { get; set; }
}
