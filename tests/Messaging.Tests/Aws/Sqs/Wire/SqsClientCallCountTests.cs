using System.Text.Json;
using Quayside.Messaging.Aws.Sqs.Wire;

namespace Messaging.Tests.Aws.Sqs.Wire;

/// <summary>The client counts exactly the calls that a server receives, by operation, including retries.</summary>
public sealed class SqsClientCallCountTests
{
    [Fact]
    public async Task Calls_EveryOperationAndARetry_EqualWhatTheServerSaw()
    {
        // Every second request is refused once for its clock, and retried.
        await using FakeService service = await FakeService.StartAsync((context, number) => number % 3 == 1
            ? FakeService.AnswerAsync(context, 403, """{"__type":"RequestTimeTooSkewed"}""", ("Date", DateTimeOffset.UtcNow.AddMinutes(30).ToString("R")))
            : FakeService.AnswerAsync(context, 200, AnswerTo(context.Request.Headers["X-Amz-Target"]!)));
        using WireClient wire = new(service.Address);
        ReadOnlyMemory<byte>[] handles = ["h"u8.ToArray()];
        BatchEntryResult[] results = new BatchEntryResult[1];

        for (int round = 0; round < 2; round++)
        {
            await wire.ReceiveAsync();
            await wire.Client.DeleteBatchAsync(WireClient.Url, handles, results, default);
            await wire.Client.ChangeVisibilityBatchAsync(WireClient.Url, new[] { new VisibilityChange("h"u8.ToArray(), 0) }, results, default);
            await wire.Client.SendBatchAsync(WireClient.Url, new[] { new SendEntry("body"u8.ToArray()) }, results, default);
            await wire.Client.SendAsync(WireClient.Url, new SendEntry("body"u8.ToArray()), default);
        }

        Dictionary<string, int> seen = service.Requests
            .GroupBy(request => request.Headers["X-Amz-Target"]["AmazonSQS.".Length..])
            .ToDictionary(group => group.Key, group => group.Count());
        seen.Values.Sum().ShouldBeGreaterThan(10);
        wire.Calls.Operations.ToDictionary(operation => operation.Name, operation => (int)wire.Calls.Sent(operation)).ShouldBe(seen, ignoreOrder: true);
    }

    private static string AnswerTo(string target) => target switch
    {
        "AmazonSQS.ReceiveMessage" => "{}",
        "AmazonSQS.SendMessage" => """{"MessageId":"m"}""",
        _ => JsonSerializer.Serialize(new { Successful = new[] { new { Id = "0", MessageId = "m" } } }),
    };
}
