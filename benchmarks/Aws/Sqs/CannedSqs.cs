using System.Net;
using System.Net.Http.Headers;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using Benchmarks.EndToEnd.Server;

namespace Benchmarks.Aws.Sqs;

/// <summary>Reads each request to its end and answers immediately: ten messages of 1 KiB for a receive, ten successes for a delete. Threads: any.</summary>
internal sealed class CannedSqs : HttpMessageHandler
{
    /// <summary>Messages of a call.</summary>
    public const int Messages = 10;

    // As long as the service's own.
    private const int HandleLength = 176;

    private readonly byte[] _received;
    private readonly byte[] _deleted;

    public CannedSqs()
    {
        byte[] body = new byte[MessageBody.Length];
        object[] messages = [.. Enumerable.Range(0, Messages).Select(i =>
        {
            MessageBody.Write(body, generation: 1, i);
            return new
            {
                MessageId = new Guid(i, 0, 0x4000, 0x80, 0, 0, 0, 0, 0, 0, 0).ToString(),
                ReceiptHandle = HandleOf(i),
                MD5OfBody = Convert.ToHexStringLower(MD5.HashData(body)),
                Body = Encoding.UTF8.GetString(body),
                Attributes = new { ApproximateReceiveCount = "1", SentTimestamp = "1769853600000" },
            };
        })];
        _received = JsonSerializer.SerializeToUtf8Bytes(new { Messages = messages });
        _deleted = JsonSerializer.SerializeToUtf8Bytes(
            new { Successful = Enumerable.Range(0, Messages).Select(i => new { Id = $"{i}" }), Failed = Array.Empty<object>() });
    }

    public static string HandleOf(int message) => $"{message}".PadRight(HandleLength, 'A');

    protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        await request.Content!.CopyToAsync(Stream.Null, cancellationToken);
        bool isReceive = request.Headers.GetValues("X-Amz-Target").Single().EndsWith("ReceiveMessage", StringComparison.Ordinal);
        ByteArrayContent content = new(isReceive ? _received : _deleted);
        content.Headers.ContentType = new MediaTypeHeaderValue("application/x-amz-json-1.0");
        return new HttpResponseMessage(HttpStatusCode.OK) { Content = content, RequestMessage = request };
    }
}
