namespace Worker.Tests.Http.Source;

/// <summary>An answer as it came over the wire.</summary>
internal sealed record RawAnswer(int Status, string Headers, string Body)
{
    public bool Has(string header) => Headers.Contains(header, StringComparison.OrdinalIgnoreCase);
}
