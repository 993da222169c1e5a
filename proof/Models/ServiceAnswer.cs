using System.Net;
using System.Text;

namespace Proof.Models;

/// <summary>What a service answers.</summary>
internal sealed record ServiceAnswer(HttpStatusCode Status, byte[] Body, string? ETag = null, long? Length = null)
{
    public static ServiceAnswer Text(HttpStatusCode status, string body) => new(status, Encoding.UTF8.GetBytes(body));

    public HttpResponseMessage ToResponse()
    {
        HttpResponseMessage response = new(Status) { Content = new ByteArrayContent(Body) };
        response.Content.Headers.ContentLength = Length ?? Body.Length;
        if (ETag is not null)
        {
            response.Headers.TryAddWithoutValidation("ETag", ETag);
        }

        return response;
    }
}
