namespace Lab.Techniques.Envelopes;

/// <summary>Thirty-two bytes on the heap; only a reference is passed.</summary>
internal sealed record ClassEnvelope(object Message, object Sender) : IEnvelope;
