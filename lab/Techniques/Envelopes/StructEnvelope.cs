namespace Lab.Techniques.Envelopes;

/// <summary>Sixteen bytes, copied wherever it goes.</summary>
internal readonly record struct StructEnvelope(object Message, object Sender) : IEnvelope;
