namespace ElasticsearchServer;

/// <summary>The server's settings; the defaults are those of a new Elasticsearch without security.</summary>
internal sealed record ServerSettings
{
    /// <summary>User of basic authentication; null for none.</summary>
    public string? Username { get; init; }

    public string? Password { get; init; }

    /// <summary>An API key in its encoded form; null for none. Without an API key and a user, every request is allowed.</summary>
    public string? ApiKey { get; init; }

    /// <summary>The only index in which the credentials may create documents; null for all.</summary>
    public string? AllowedIndex { get; init; }

    /// <summary>False when the credentials may not read the version (cluster:monitor/main).</summary>
    public bool MayMonitor { get; init; } = true;

    /// <summary>action.auto_create_index.</summary>
    public bool AutoCreateIndex { get; init; } = true;

    /// <summary>http.max_content_length.</summary>
    public long MaxContentBytes { get; init; } = 100L * 1024 * 1024;
}
