using System.Net;
using System.Net.Http.Headers;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace Proof.Simulation;

/// <summary>A wire to SQS with a <see cref="Defect"/>: it answers some calls itself, or changes them.</summary>
internal sealed class PlantedWire : DelegatingHandler
{
    private readonly Defect _defect;
    private readonly SimulatedTime _time;
    private int _groups;

    // The entries of the first renewal of a beat.
    private JsonArray _first = [];
    private long _firstAt = -1;

    private PlantedWire(HttpMessageHandler wire, Defect defect, SimulatedTime time)
        : base(wire) => (_defect, _time) = (defect, time);

    public static HttpMessageHandler Wrap(HttpMessageHandler wire, Defect defect, SimulatedTime time) =>
        OperationOf(defect) is null ? wire : new PlantedWire(wire, defect, time);

    protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        if (!request.Headers.TryGetValues("X-Amz-Target", out IEnumerable<string>? target) || target.Single() != $"AmazonSQS.{OperationOf(_defect)}")
        {
            return await base.SendAsync(request, cancellationToken);
        }

        switch (_defect)
        {
            case Defect.SkipDeadLetter or Defect.SkipHeartbeat or Defect.SkipDelete:
                return Success();
            case Defect.ConfirmUnsent:
                _ = base.SendAsync(request, CancellationToken.None);
                return Success();
            case Defect.SkipDelay or Defect.RenewFirstBatch or Defect.EmptyHandle:
                await ChangeAsync(request);
                return await base.SendAsync(request, cancellationToken);
            default:
                return await ChangeAsync(await base.SendAsync(request, cancellationToken));
        }
    }

    private static string? OperationOf(Defect defect) => defect switch
    {
        Defect.SkipDeadLetter or Defect.ConfirmUnsent => "SendMessage",
        Defect.SkipHeartbeat or Defect.SkipDelay or Defect.RenewFirstBatch => "ChangeMessageVisibilityBatch",
        Defect.SkipDelete or Defect.EmptyHandle or Defect.BelieveFailedEntries => "DeleteMessageBatch",
        Defect.IgnoreGroups => "ReceiveMessage",
        _ => null,
    };

    private static HttpResponseMessage Success()
    {
        string entries = string.Join(',', Enumerable.Range(0, 10).Select(id => $"{{\"Id\":\"{id}\"}}"));
        return new HttpResponseMessage(HttpStatusCode.OK)
        {
            Content = new StringContent(
                $"{{\"MessageId\":\"00000000-0000-4000-9000-000000000000\",\"Successful\":[{entries}],\"Failed\":[]}}", Encoding.UTF8, "application/json"),
        };
    }

    private async Task ChangeAsync(HttpRequestMessage request)
    {
        JsonObject json = JsonNode.Parse(await request.Content!.ReadAsByteArrayAsync())!.AsObject();
        JsonArray entries = json["Entries"]!.AsArray();
        switch (_defect)
        {
            case Defect.EmptyHandle:
                entries[0]!["ReceiptHandle"] = string.Empty;
                break;
            case Defect.SkipDelay:
                foreach (JsonNode? entry in entries.Where(entry => !IsRenewal(entry)))
                {
                    entry!["VisibilityTimeout"] = 0;
                }

                break;
            case Defect.RenewFirstBatch when IsRenewal(entries[0]):
                if (_firstAt != _time.Now)
                {
                    (_first, _firstAt) = (entries, _time.Now);
                }

                for (int i = 0; i < entries.Count; i++)
                {
                    entries[i]!["ReceiptHandle"] = _first[i]!["ReceiptHandle"]!.GetValue<string>();
                }

                break;
        }

        request.Content = Json(json);
    }

    private async Task<HttpResponseMessage> ChangeAsync(HttpResponseMessage response)
    {
        if (response.StatusCode == HttpStatusCode.OK)
        {
            JsonObject json = JsonNode.Parse(await response.Content.ReadAsByteArrayAsync())!.AsObject();
            if (_defect == Defect.IgnoreGroups)
            {
                foreach (JsonNode? message in json["Messages"]!.AsArray().Where(message => message!["Attributes"]!["MessageGroupId"] is not null))
                {
                    message!["Attributes"]!["MessageGroupId"] = $"own{_groups++}";
                }
            }
            else
            {
                foreach (JsonNode? failed in json["Failed"]!.AsArray())
                {
                    json["Successful"]!.AsArray().Add(new JsonObject { ["Id"] = failed!["Id"]!.GetValue<string>() });
                }

                json["Failed"] = new JsonArray();
            }

            response.Content = Json(json);
        }

        return response;
    }

    private static bool IsRenewal(JsonNode? entry) => entry!["VisibilityTimeout"]!.GetValue<int>() == QueueCalls.RenewedSeconds;

    private static ByteArrayContent Json(JsonObject json)
    {
        byte[] bytes = JsonSerializer.SerializeToUtf8Bytes(json);
        return new ByteArrayContent(bytes) { Headers = { ContentType = new MediaTypeHeaderValue("application/x-amz-json-1.0"), ContentLength = bytes.Length } };
    }
}
