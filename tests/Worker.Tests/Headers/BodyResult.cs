using Worker.Headers;

namespace Worker.Tests.Headers;

/// <summary>What reading a body gave; the texts are empty after poison.</summary>
internal sealed record BodyResult(Poison Poison, string Product, HeaderDate Date, string MessageId)
{
    public string Code => Poison.Reason.Code();
}
