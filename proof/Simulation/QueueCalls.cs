using System.Text.Json;
using Proof.Models;
using Quayside.Messaging.Aws.Sqs;

namespace Proof.Simulation;

/// <summary>The calls that one process sends to SQS: checks that a renewal covers each message once, and that a refused delete is sent again.</summary>
internal sealed class QueueCalls(World world, ProcessTime process, Func<bool> isStopping)
{
    /// <summary>The visibility timeout that a renewal sets.</summary>
    public static readonly int RenewedSeconds = (int)new SqsSourceOptions().VisibilityTimeout.TotalSeconds;

    // The longest pause before entries are sent again that failed beside others that did not: 0.2 s, and the time for others to join.
    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(2);

    // Refused this often, a message whose visibility cannot be renewed may be given up.
    private const int MaxRefusals = 2;

    private readonly Dictionary<string, Task> _renewals = new(StringComparer.Ordinal);
    private readonly Dictionary<string, int> _deletes = new(StringComparer.Ordinal);
    private readonly Dictionary<string, int> _refusals = new(StringComparer.Ordinal);

    public void Sending(ServiceRequest request, Task answered)
    {
        switch (request.Operation)
        {
            case "ReceiveMessage" when isStopping():
                world.Fail("a receive was sent after the stop began");
                break;
            case "ChangeMessageVisibilityBatch":
                foreach (JsonElement entry in Entries(request))
                {
                    Changing(entry.GetProperty("ReceiptHandle").GetString()!, entry.GetProperty("VisibilityTimeout").GetInt32(), answered);
                }

                break;
            case "DeleteMessageBatch":
                foreach (JsonElement entry in Entries(request))
                {
                    string message = MessageOf(entry);
                    _deletes[message] = _deletes.GetValueOrDefault(message) + 1;
                }

                break;
        }
    }

    public void Answered(ServiceRequest request, ServiceAnswer answer)
    {
        if (request.Operation != "DeleteMessageBatch" || answer.Status != System.Net.HttpStatusCode.OK)
        {
            return;
        }

        JsonElement results = JsonDocument.Parse(answer.Body).RootElement;
        if (results.GetProperty("Successful").GetArrayLength() == 0)
        {
            // Then the pause grows.
            return;
        }

        Dictionary<string, string> messages = Entries(request).ToDictionary(entry => entry.GetProperty("Id").GetString()!, MessageOf, StringComparer.Ordinal);
        foreach (JsonElement failed in results
            .GetProperty("Failed")
            .EnumerateArray()
            .Where(failed => failed.GetProperty("Code").GetString() == "InternalError"))
        {
            Refused(messages[failed.GetProperty("Id").GetString()!]);
        }
    }

    private static IEnumerable<JsonElement> Entries(ServiceRequest request) =>
        JsonDocument.Parse(request.Body).RootElement.GetProperty("Entries").EnumerateArray();

    // What all handles of a message begin with.
    private static string MessageOf(JsonElement entry) => $"{entry.GetProperty("ReceiptHandle").GetString()!.Split('#')[0]}#";

    private void Changing(string handle, int seconds, Task answered)
    {
        if (seconds != RenewedSeconds)
        {
            if (world.Due.TryGetValue(handle, out long due) && world.Time.Now + TimeSpan.FromSeconds(seconds).Ticks < due)
            {
                world.Fail($"{handle} is abandoned for {seconds} s, before its delay has ended");
            }

            return;
        }

        // A beat sends its batches together, and the next one begins when each is answered or given up.
        if (_renewals.TryGetValue(handle, out Task? before) && !before.IsCompleted)
        {
            world.Fail($"{handle} is renewed twice in one beat");
        }

        _renewals[handle] = answered;
    }

    private void Refused(string message)
    {
        int refusals = _refusals[message] = _refusals.GetValueOrDefault(message) + 1;
        int sent = _deletes[message];
        if (refusals <= MaxRefusals)
        {
            world.Time.Schedule(Pause, () =>
            {
                if (process.IsAlive && !isStopping() && _deletes[message] == sent && world.Queue.Has(message))
                {
                    world.Fail($"SQS refused to delete {message}, and the delete was not sent again");
                }
            });
        }
    }
}
