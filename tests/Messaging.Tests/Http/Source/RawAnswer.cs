namespace Messaging.Tests.Http.Source;

/// <summary>An answer as received.</summary>
internal sealed record RawAnswer(int Status, string Headers, string Body)
{
    public bool Has(string header) => Headers.Contains(header, StringComparison.OrdinalIgnoreCase);
}
