namespace Proof.Models;

/// <summary>A request as a service sees it.</summary>
internal sealed record ServiceRequest(string Method, string Path, string Operation, byte[] Body);
