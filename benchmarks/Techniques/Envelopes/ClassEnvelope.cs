namespace Benchmarks.Techniques.Envelopes;

/// <summary>Thirty-two bytes on the heap; a reference goes round.</summary>
internal sealed record ClassEnvelope(object Message, object Sender) : IEnvelope;
