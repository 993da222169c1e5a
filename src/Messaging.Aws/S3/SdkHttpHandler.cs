namespace Messaging.Aws.S3;

/// <summary>What AWSSDK does on HTTP that a worker should not: wait for leave to send, follow redirects, read answers without end.</summary>
internal sealed class SdkHttpHandler(HttpMessageHandler connections) : DelegatingHandler(connections)
{
    // An XML answer of S3 is below 1 KiB, a listing of one key below 4.
    private const int MaxAnswer = 64 * 1024;

    protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        // "Expect: 100-continue" costs a round trip a PUT, and a full second where a store does not know it; it pays for large
        // bodies only. It is not among the signed headers.
        request.Headers.ExpectContinue = false;

        HttpResponseMessage response = await base.SendAsync(request, cancellationToken);
        try
        {
            // AWSSDK sends the request again, signature and all, to wherever a 307 points.
            if ((int)response.StatusCode is >= 300 and < 400)
            {
                response.Headers.Location = null;
            }

            // AWSSDK parses answers from the network, blocking and without the token: a store that sends a byte a second
            // would hold a pool thread for good. The caller that asked for an object reads it.
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

    // A listing has a query of its own; an object's may name its version.
    private static bool IsObject(HttpRequestMessage request, HttpResponseMessage response) =>
        request.Method == HttpMethod.Get
        && response.IsSuccessStatusCode
        && request.RequestUri is { } uri
        && (uri.Query.Length == 0 || (uri.Query.StartsWith("?versionId=", StringComparison.Ordinal) && !uri.Query.Contains('&', StringComparison.Ordinal)));
}
