using System.Net;
using System.Text;

namespace Proof.Simulation;

/// <summary>A wire to SQS that answers some calls itself.</summary>
internal sealed class PlantedWire : DelegatingHandler
{
    private readonly string _operation;

    private PlantedWire(HttpMessageHandler wire, string operation)
        : base(wire) => _operation = operation;

    public static HttpMessageHandler Wrap(HttpMessageHandler wire, Defect defect) => defect switch
    {
        Defect.SkipDeadLetter => new PlantedWire(wire, "SendMessage"),
        Defect.SkipHeartbeat => new PlantedWire(wire, "ChangeMessageVisibilityBatch"),
        Defect.SkipDelete => new PlantedWire(wire, "DeleteMessageBatch"),
        _ => wire,
    };

    protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        if (!request.Headers.TryGetValues("X-Amz-Target", out IEnumerable<string>? target) || target.Single() != $"AmazonSQS.{_operation}")
        {
            return base.SendAsync(request, cancellationToken);
        }

        string entries = string.Join(',', Enumerable.Range(0, 10).Select(id => $"{{\"Id\":\"{id}\"}}"));
        return Task.FromResult(new HttpResponseMessage(HttpStatusCode.OK)
        {
            Content = new StringContent($"{{\"MessageId\":\"00000000-0000-4000-9000-000000000000\",\"Successful\":[{entries}],\"Failed\":[]}}", Encoding.UTF8, "application/json"),
        });
    }
}
