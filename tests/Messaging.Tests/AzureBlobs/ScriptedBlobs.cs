using System.Net;
using System.Text;

namespace Messaging.Tests.AzureBlobs;

/// <summary>Blob Storage as a script: answers that Azurite does not give on demand. Threads: any.</summary>
internal sealed class ScriptedBlobs(Func<HttpRequestMessage, int, HttpResponseMessage> answer) : HttpMessageHandler
{
    private readonly Lock _lock = new();
    private readonly List<string> _requests = [];

    /// <summary>Method and path of each request, in order.</summary>
    public IReadOnlyList<string> Requests
    {
        get
        {
            lock (_lock)
            {
                return [.. _requests];
            }
        }
    }

    /// <summary>201, as to a Put Blob.</summary>
    public static HttpResponseMessage Created() =>
        With(new HttpResponseMessage(HttpStatusCode.Created) { Content = new ByteArrayContent([]) }, ("ETag", "\"0x8D\""),
            ("Last-Modified", "Sat, 31 Jan 2026 10:00:00 GMT"));

    /// <summary>200, as to a Get Blob.</summary>
    public static HttpResponseMessage Blob(byte[] body) =>
        With(new HttpResponseMessage(HttpStatusCode.OK) { Content = new ByteArrayContent(body) { Headers = { ContentLength = body.Length } } },
            ("ETag", "\"0x8D\""), ("Last-Modified", "Sat, 31 Jan 2026 10:00:00 GMT"), ("x-ms-blob-type", "BlockBlob"));

    /// <summary>An error of Blob Storage.</summary>
    public static HttpResponseMessage Error(int status, string code, params (string Name, string Value)[] headers) => With(
        new HttpResponseMessage(
            (HttpStatusCode)status)
        {
            Content = new StringContent(
                $"<?xml version=\"1.0\" encoding=\"utf-8\"?><Error><Code>{code}</Code><Message>canary message</Message></Error>", Encoding.UTF8,
                "application/xml")
        },
        [("x-ms-error-code", code), ("x-ms-request-id", "7c31b2e5-601e-0012-34ab-56cdef000000"), .. headers]);

    protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        // As a connection does: the body is read before the answer.
        if (request.Content is not null)
        {
            await request.Content.CopyToAsync(Stream.Null, cancellationToken);
        }

        int number;
        lock (_lock)
        {
            _requests.Add($"{request.Method} {request.RequestUri!.AbsolutePath}");
            number = _requests.Count;
        }

        HttpResponseMessage response = answer(request, number);
        response.RequestMessage = request;
        return response;
    }

    private static HttpResponseMessage With(HttpResponseMessage response, params (string Name, string Value)[] headers)
    {
        foreach ((string name, string value) in headers)
        {
            if (!response.Headers.TryAddWithoutValidation(name, value))
            {
                response.Content.Headers.TryAddWithoutValidation(name, value);
            }
        }

        return response;
    }
}
