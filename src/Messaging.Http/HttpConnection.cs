using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http;

namespace Quayside.Messaging.Http;

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

    /// <summary>Since when it has waited for the body of its current request.</summary>
    public long ReceivingSince { get; set; }

    /// <summary>When the answer to its current request began.</summary>
    public long AnsweringSince { get; set; }

    /// <summary>The route of its current request; null where it has none.</summary>
    public string? Route { get; set; }

    /// <summary>What the answer to its current request says, for <see cref="HttpResponses"/>; null before the answer.</summary>
    public string? Reason { get; set; }

    /// <summary>The request that the worker's own code answers; null between two, and for what Kestrel answers itself.</summary>
    public HttpContext? Request { get; set; }

    /// <summary>Where its answers are counted.</summary>
    public HttpResponses? Responses { get; set; }

    /// <summary>True when the caller had closed its connection before the answer to its current request began.</summary>
    public bool IsCallerGone { get; set; }

    /// <summary>Its node in one of the owner's lists; in none while its request is handled.</summary>
    public LinkedListNode<HttpConnection> Node { get; }

    /// <summary>True until either side closes it.</summary>
    public bool IsOpen { get; set; } = true;

    /// <summary>True while it counts above the limit: it may then read only the health pages.</summary>
    public bool IsReserve { get; set; }

    /// <summary>Counts the answer to its current request, which has ended.</summary>
    public void Count()
    {
        Responses?.Add(this, Request!);
        Request = null;
        Route = null;
        Reason = null;
        IsCallerGone = false;
    }

    /// <summary>Notes what the answer to a request says.</summary>
    public static void Note(HttpContext context, string reason)
    {
        if (context.Features.Get<HttpConnection>() is { } connection)
        {
            connection.Reason = reason;
        }
    }

    /// <summary>Notes the route of a request.</summary>
    public static void NoteRoute(HttpContext context, string route)
    {
        if (context.Features.Get<HttpConnection>() is { } connection)
        {
            connection.Route = route;
        }
    }
}
