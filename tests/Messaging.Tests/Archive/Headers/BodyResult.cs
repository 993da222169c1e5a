using Quayside.Messaging.Archive.Headers;

namespace Messaging.Tests.Archive.Headers;

/// <summary>The result of reading a body; the texts are empty for poison.</summary>
internal sealed record BodyResult(Poison Poison, string Product, HeaderDate Date, string MessageId)
{
    public string Code => Poison.Reason ?? "";
}
