using System.Net;
using System.Text.Json;
using Proof.Models;

namespace Proof.Simulation;

/// <summary>The calls of redrive: checks that it deletes a dead letter only after SQS has answered that it has the copy.</summary>
internal sealed class RedriveCalls(World world)
{
    private readonly HashSet<string> _sent = new(StringComparer.Ordinal);

    public void Sending(ServiceRequest request, Task answered)
    {
        if (request.Operation != "DeleteMessageBatch")
        {
            return;
        }

        foreach (JsonElement entry in Parse(request).GetProperty("Entries").EnumerateArray())
        {
            if (world.Queue.FindDead(entry.GetProperty("ReceiptHandle").GetString()!) is { } body && !_sent.Contains(body))
            {
                world.Fail($"redrive deletes a dead letter before SQS has answered that it has the copy: {body}");
            }
        }
    }

    public void Answered(ServiceRequest request, ServiceAnswer answer)
    {
        if (request.Operation == "SendMessage" && answer.Status == HttpStatusCode.OK)
        {
            _sent.Add(Parse(request).GetProperty("MessageBody").GetString()!);
        }
    }

    private static JsonElement Parse(ServiceRequest request) => JsonDocument.Parse(request.Body).RootElement;
}
