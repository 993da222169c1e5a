using System.Security.Claims;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Benchmarks.Pipelines.Parts;

/// <summary>Carries the message through middleware; there is no request.</summary>
internal sealed class BenchHttpContext(BenchContext message) : HttpContext
{
    public BenchContext Message { get; } = message;

    public override IFeatureCollection Features => throw new NotSupportedException();

    public override HttpRequest Request => throw new NotSupportedException();

    public override HttpResponse Response => throw new NotSupportedException();

    public override ConnectionInfo Connection => throw new NotSupportedException();

    public override WebSocketManager WebSockets => throw new NotSupportedException();

    public override ClaimsPrincipal User { get; set; } = new();

    public override IDictionary<object, object?> Items { get; set; } = new Dictionary<object, object?>();

    public override IServiceProvider RequestServices { get; set; } = null!;

    public override CancellationToken RequestAborted { get; set; }

    public override string TraceIdentifier { get; set; } = string.Empty;

    public override ISession Session { get; set; } = null!;

    public override void Abort()
    {
    }
}
