namespace Proof.Simulation;

/// <summary>Where a world's messages come from.</summary>
internal enum SourceKind
{
    Sqs,
    Http,
    ServiceBus,
    Channel,
    TcpLines,
}
