namespace ElasticsearchServer;

/// <summary>How the server is set up; what a test does not say is as in a fresh Elasticsearch without security.</summary>
internal sealed record ServerSettings
{
    /// <summary>User of basic authentication; null for none.</summary>
    public string? Username { get; init; }

    public string? Password { get; init; }

    /// <summary>An API key in its encoded form; null for none. Without this and a user everybody may do everything.</summary>
    public string? ApiKey { get; init; }

    /// <summary>The one index that the credentials may create documents in; null for all.</summary>
    public string? AllowedIndex { get; init; }

    /// <summary>False where the credentials may not ask for the version (cluster:monitor/main).</summary>
    public bool MayMonitor { get; init; } = true;

    /// <summary>action.auto_create_index.</summary>
    public bool AutoCreateIndex { get; init; } = true;

    /// <summary>http.max_content_length.</summary>
    public long MaxContentBytes { get; init; } = 100L * 1024 * 1024;
}
