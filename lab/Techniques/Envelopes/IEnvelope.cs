namespace Lab.Techniques.Envelopes;

/// <summary>A message with its sender.</summary>
internal interface IEnvelope
{
    object Message { get; }

    object Sender { get; }
}
