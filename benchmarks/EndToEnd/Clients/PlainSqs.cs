using System.Net.Http.Headers;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Benchmarks.Aws.Wire;
using static Benchmarks.EndToEnd.Clients.SqsShapes;

namespace Benchmarks.EndToEnd.Clients;

/// <summary>SQS over HttpClient: one signed request per call, System.Text.Json with source generation.</summary>
internal sealed class PlainSqs(HttpClient http, ClientSettings settings) : IQueueClient
{
    private readonly SimpleSigner _signer = new("sqs", WireAccount.AccessKey, WireAccount.SecretKey, WireAccount.Region);
    private readonly string _queueUrl = new Uri(settings.Endpoint, $"/000000000000/{settings.Queue}").AbsoluteUri;

    public async Task<Received[]> ReceiveAsync()
    {
        ReceiveRequest request = new(_queueUrl, settings.Batch, ClientSettings.WaitSeconds, ClientSettings.VisibilitySeconds, ["ApproximateReceiveCount"]);
        ReceiveResponse response = await CallAsync("ReceiveMessage", request, EndToEndJson.Default.ReceiveRequest, EndToEndJson.Default.ReceiveResponse);
        return response.Messages ?? [];
    }

    public async Task DeleteAsync(Received[] messages)
    {
        DeleteRequest request = new(_queueUrl, [.. messages.Select((message, i) => new DeleteEntry($"{i}", message.ReceiptHandle))]);
        DeleteResponse response = await CallAsync("DeleteMessageBatch", request, EndToEndJson.Default.DeleteRequest, EndToEndJson.Default.DeleteResponse);
        if (response.Failures is { Length: > 0 } failed)
        {
            throw new InvalidOperationException($"{failed.Length} messages were not deleted: {failed[0].Code}.");
        }
    }

    private async Task<TResponse> CallAsync<TRequest,
        TResponse>(string operation, TRequest request, JsonTypeInfo<TRequest> requestType, JsonTypeInfo<TResponse> responseType)
    {
        byte[] body = JsonSerializer.SerializeToUtf8Bytes(request, requestType);
        using HttpRequestMessage message = new(HttpMethod.Post, settings.Endpoint) { Content = new ByteArrayContent(body) };
        message.Content.Headers.ContentType = new MediaTypeHeaderValue("application/x-amz-json-1.0");
        message.Headers.Add("X-Amz-Target", $"AmazonSQS.{operation}");
        _signer.Sign(message, body, TimeProvider.System.GetUtcNow());
        using HttpResponseMessage response = await http.SendAsync(message, HttpCompletionOption.ResponseHeadersRead);
        response.EnsureSuccessStatusCode();
        await using Stream stream = await response.Content.ReadAsStreamAsync();
        return (await JsonSerializer.DeserializeAsync(stream, responseType))!;
    }
}
