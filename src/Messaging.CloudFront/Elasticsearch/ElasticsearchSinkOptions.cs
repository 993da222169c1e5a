using Messaging.Configuration;

namespace Messaging.CloudFront.Elasticsearch;

/// <summary>Section <c>Sinks:Elasticsearch</c>.</summary>
internal sealed class ElasticsearchSinkOptions : ISelfValidating
{
    public const string Section = "Sinks:Elasticsearch";

    [Setting("Address of Elasticsearch, such as https://search.example:9200; a path in front of its own is kept", Required = true)]
    public Uri? Endpoint { get; init; }

    [Setting("Index, alias or data stream the documents are created in", Required = true)]
    public string? Index { get; init; }

    [Setting("Allows plain http to an endpoint that is not this machine")]
    public bool AllowPlainHttp { get; init; }

    [Setting("User of basic authentication; excludes ApiKey")]
    public string? Username { get; init; }

    [Setting("Password that belongs to Username", Secret = true)]
    public string? Password { get; init; }

    [Setting("API key, in the encoded form that Elasticsearch gives; excludes Username", Secret = true)]
    public string? ApiKey { get; init; }

    [Setting("Ingest pipeline the documents go through; without it the index's own")]
    public string? Pipeline { get; init; }

    [Setting("Compress requests with gzip; worth it where the network is slower than a core")]
    public bool GzipRequests { get; init; }

    [Setting("Bytes of documents that a batch is sent at, before compression; the document that reaches it still goes in", Bytes = true, Min = "64KiB", Max = "64MiB", Consequence = "Each message that is worked on, and each batch on its way, holds so much; Elasticsearch refuses more than http.max_content_length (100 MB).")]
    public int MaxBatchBytes { get; init; } = 5 * 1024 * 1024;

    [Setting("Documents that a batch is sent at", Min = "1", Max = "100000")]
    public int MaxBatchDocuments { get; init; } = 10_000;

    [Setting("Most batches on their way at once, over all messages", Min = "1", Max = "256", Consequence = "More than the write threads of the cluster only fill its queue.")]
    public int MaxInFlight { get; init; } = 4;

    [Setting("Time to open a connection", Min = "100ms", Max = "1m")]
    public TimeSpan ConnectTimeout { get; init; } = TimeSpan.FromSeconds(2);

    [Setting("Time one request may take", Min = "100ms", Max = "10m")]
    public TimeSpan AttemptTimeout { get; init; } = TimeSpan.FromSeconds(30);

    [Setting("Time one batch may take, all attempts and waits included", Min = "100ms", Max = "30m", Consequence = "Beyond Intake:MessageTimeout the message is cut off first.")]
    public TimeSpan TotalTimeout { get; init; } = TimeSpan.FromSeconds(60);

    [Setting("Attempts in a row that get a batch no further, the first included", Min = "1", Max = "20")]
    public int MaxAttempts { get; init; } = 4;

    /// <inheritdoc/>
    public void Validate(SettingsCheck check)
    {
        const string Unreachable = "Requests would not arrive, or documents would travel in the open.";
        if (Endpoint is not null && FindProblem(Endpoint) is { } problem)
        {
            check.Fail(nameof(Endpoint), problem, Unreachable);
        }
        else if (Endpoint is { IsLoopback: false } && Endpoint.Scheme == Uri.UriSchemeHttp && !AllowPlainHttp)
        {
            check.Fail(nameof(Endpoint), $"must be https, since it is not this machine; set {nameof(AllowPlainHttp)} to allow plain http.", Unreachable, nameof(AllowPlainHttp));
        }

        if (Index is not null && !IndexName.IsValid(Index))
        {
            check.Fail(nameof(Index), IndexName.Rule, "Elasticsearch would refuse every document.");
        }

        if (Pipeline is not null && (Pipeline.Length == 0 || Pipeline.Any(char.IsControl)))
        {
            check.Fail(nameof(Pipeline), "must be a pipeline's name, or be left out.", "Elasticsearch would refuse every document.");
        }

        ValidateCredentials(check);
        if (ConnectTimeout > AttemptTimeout)
        {
            check.Fail(nameof(ConnectTimeout), $"must not be above {nameof(AttemptTimeout)}.", "It would never be reached.", nameof(AttemptTimeout));
        }

        if (AttemptTimeout > TotalTimeout)
        {
            check.Fail(nameof(AttemptTimeout), $"must not be above {nameof(TotalTimeout)}.", "It would never be reached.", nameof(TotalTimeout));
        }
    }

    private static string? FindProblem(Uri endpoint)
    {
        if (!endpoint.IsAbsoluteUri || (endpoint.Scheme != Uri.UriSchemeHttps && endpoint.Scheme != Uri.UriSchemeHttp))
        {
            return "must be an http or https address.";
        }

        return endpoint.UserInfo.Length != 0 || endpoint.Query.Length != 0 || endpoint.Fragment.Length != 0
            ? $"must be scheme, host, port and path only; credentials go to {nameof(ApiKey)}, or {nameof(Username)} and {nameof(Password)}."
            : null;
    }

    private void ValidateCredentials(SettingsCheck check)
    {
        if (ApiKey is not null && (Username ?? Password) is not null)
        {
            check.Fail(nameof(ApiKey), $"must not be set together with {nameof(Username)} or {nameof(Password)}.", "It would be unclear which credentials count.", nameof(Username), nameof(Password));
        }

        if (Username is not null != Password is not null)
        {
            (string missing, string given) = Username is null ? (nameof(Username), nameof(Password)) : (nameof(Password), nameof(Username));
            check.Fail(missing, $"must be set when {given} is.", "Requests would be refused.", given);
        }

        if (Username?.Contains(':', StringComparison.Ordinal) == true)
        {
            check.Fail(nameof(Username), "must not hold a colon.", "Basic authentication would take what follows it for the password.");
        }

        // The encoded form is base64; anything else would be cut apart in the header.
        if (ApiKey is not null && (ApiKey.Length == 0 || !ApiKey.All(c => char.IsAsciiLetterOrDigit(c) || c is '+' or '/' or '=' or '-' or '_')))
        {
            check.Fail(nameof(ApiKey), "must be the encoded form of an API key, which is base64.", "Requests would be refused.");
        }
    }
}
