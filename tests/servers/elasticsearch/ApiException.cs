namespace ElasticsearchServer;

/// <summary>The request as a whole is refused.</summary>
internal sealed class ApiException(int status, string type, string reason) : Exception(reason)
{
    public int Status { get; } = status;

    public string Type { get; } = type;
}
