namespace Messaging.Http.Web;

/// <summary>How a request was answered; few and bounded values.</summary>
/// <param name="Route">The route of <c>/messages</c>; null where the request reached none.</param>
/// <param name="Status">The HTTP status; 0 when the caller got no answer.</param>
/// <param name="Reason">The error of the answer, or what became of the message.</param>
internal readonly record struct HttpAnswer(string? Route, int Status, string Reason)
{
    /// <summary>False when the route accepted the message: its settlement is counted as the route's.</summary>
    public bool IsRefusal => Reason is not (HttpResponses.Stored or HttpResponses.DeadLettered or HttpResponses.NotStored);

    /// <inheritdoc/>
    public override string ToString() => $"{(Status > 0 ? $"{Status} " : string.Empty)}{Reason}{(Route is null ? string.Empty : $" (route {Route})")}";
}
