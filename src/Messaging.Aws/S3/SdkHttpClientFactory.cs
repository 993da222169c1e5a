using Amazon.Runtime;

namespace Messaging.Aws.S3;

/// <summary>Creates the SDK's HTTP client: one per client of S3, disposed with it.</summary>
internal sealed class SdkHttpClientFactory(TimeSpan connectTimeout) : HttpClientFactory
{
    public override HttpClient CreateHttpClient(IClientConfig clientConfig)
    {
        // The route's concurrency is the bound; a second one here would only let requests wait until their deadline.
        SocketsHttpHandler connections = AwsHttpHandler.Create();
        connections.ConnectTimeout = connectTimeout;
        return new HttpClient(new SdkHttpHandler(connections), disposeHandler: true)
        {
            Timeout = clientConfig.Timeout ?? System.Threading.Timeout.InfiniteTimeSpan,
        };
    }
}
