namespace ElasticsearchServer;

/// <summary>The whole request is refused.</summary>
internal sealed class ApiException(int status, string type, string reason) : Exception(reason)
{
    public int Status { get; } = status;

    public string Type { get; } = type;
}
