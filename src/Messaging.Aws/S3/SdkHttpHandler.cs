namespace Messaging.Aws.S3;

/// <summary>Turns off HTTP behaviour of AWSSDK that does not suit a worker: Expect: 100-continue, redirects and unbounded answers.</summary>
internal sealed class SdkHttpHandler(HttpMessageHandler connections) : DelegatingHandler(connections)
{
    // An XML answer of S3 is below 1 KiB, a listing of one key below 4 KiB.
    private const int MaxAnswer = 64 * 1024;

    protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        // "Expect: 100-continue" costs a round trip per PUT, and a full second if a store does not support it; it helps with large
        // bodies only. It is not a signed header.
        request.Headers.ExpectContinue = false;

        HttpResponseMessage response = await base.SendAsync(request, cancellationToken);
        try
        {
            // AWSSDK would send the request, with its signature, to the target of a 307.
            if ((int)response.StatusCode is >= 300 and < 400)
            {
                response.Headers.Location = null;
            }

            // AWSSDK parses answers from the network synchronously and without the token: a store that sends one byte per second would block
            // a pool thread indefinitely. An object is read by the caller.
            if (response.Content.Headers.ContentLength != 0 && request.Method != HttpMethod.Head && !IsObject(request, response))
            {
                await response.Content.LoadIntoBufferAsync(MaxAnswer, cancellationToken);
            }

            return response;
        }
        catch
        {
            response.Dispose();
            throw;
        }
    }

    // A listing has a query; an object's query may name only its version.
    private static bool IsObject(HttpRequestMessage request, HttpResponseMessage response) =>
        request.Method == HttpMethod.Get
        && response.IsSuccessStatusCode
        && request.RequestUri is { } uri
        && (uri.Query.Length == 0 || (uri.Query.StartsWith("?versionId=", StringComparison.Ordinal) && !uri.Query.Contains('&', StringComparison.Ordinal)));
}
