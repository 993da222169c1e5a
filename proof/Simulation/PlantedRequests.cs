using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Sinks;

namespace Proof.Simulation;

/// <summary>Requests of S3 with a <see cref="Defect"/>.</summary>
internal sealed class PlantedRequests(IS3Requests requests, Defect defect) : IS3Requests
{
    public async ValueTask<S3Fault> PutAsync(
        ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, ObjectProperties? properties, TimeSpan limit, CancellationToken cancellationToken)
    {
        S3Fault fault = await requests.PutAsync(key, body, properties, limit, cancellationToken);
        return defect == Defect.BelieveAnyAnswer && fault.Status >= 500 ? S3Fault.None : fault;
    }

    public async ValueTask<(S3Fault Fault, string Operation, bool Same)> CompareAsync(
        ReadOnlyMemory<byte> key, ReadOnlyMemory<byte> body, TimeSpan limit, CancellationToken cancellationToken)
    {
        (S3Fault fault, string operation, bool same) = await requests.CompareAsync(key, body, limit, cancellationToken);
        return (fault, operation, same || defect == Defect.AcceptExistingObject);
    }

    public ValueTask<S3Fault> ListAsync(TimeSpan limit, CancellationToken cancellationToken) => requests.ListAsync(limit, cancellationToken);

    public void Dispose() => requests.Dispose();
}
