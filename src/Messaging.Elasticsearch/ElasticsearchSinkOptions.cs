using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.Elasticsearch;

/// <summary>Section <c>Sinks:Elasticsearch</c>.</summary>
internal sealed class ElasticsearchSinkOptions : ISelfValidating
{
    public const string Section = "Sinks:Elasticsearch";

    [Setting(
        "Addresses of Elasticsearch, such as https://search.example:9200; a path precedes those of the API. Of several nodes of one cluster, separated by "
            + "commas: requests go to all in turn, and past a node that does not answer", Required = true)]
    public string[] Endpoint { get; init; } = [];

    [Setting("Index, alias or data stream to create the documents in", Required = true)]
    public string? Index { get; init; }

    [Setting("Allows plain http to an endpoint on another machine", Advanced = true)]
    public bool AllowPlainHttp { get; init; }

    [Setting("User of basic authentication; excludes ApiKey")]
    public string? Username { get; init; }

    [Setting("Password that belongs to Username", Secret = true)]
    public string? Password { get; init; }

    [Setting("API key, in the encoded form that Elasticsearch returns; excludes Username", Secret = true)]
    public string? ApiKey { get; init; }

    [Setting(
        "Signs requests with AWS credentials of the section Aws: Es for a domain of Amazon OpenSearch Service, Aoss for a collection of OpenSearch Serverless; "
            + "excludes ApiKey, Username and GzipRequests", Advanced = true)]
    public AwsSigning SigV4 { get; init; }

    [Setting("File of the certificate that the worker shows to Elasticsearch: PEM, or PKCS #12 (.pfx, .p12) with its key", Advanced = true)]
    public string? ClientCertificate { get; init; }

    [Setting("PEM file of the certificate's private key; default: the key is in ClientCertificate", Advanced = true)]
    public string? ClientCertificateKey { get; init; }

    [Setting("Password of the certificate's private key", Secret = true, Advanced = true)]
    public string? ClientCertificatePassword { get; init; }

    [Setting("Ingest pipeline for the documents; default: the index's own", Advanced = true)]
    public string? Pipeline { get; init; }

    [Setting("Compress requests with gzip; useful where the network is slower than one core compresses", Advanced = true)]
    public bool GzipRequests { get; init; }

    [Setting(
        "Size at which a batch is sent, before compression; the document that reaches it is still included", Bytes = true, Min = "64KiB", Max = "64MiB",
        Consequence = "Each message in flight and each batch in flight holds this much; Elasticsearch rejects more than http.max_content_length (100 MB).",
        Advanced = true)]
    public int MaxBatchBytes { get; init; } = 5 * 1024 * 1024;

    /// <summary>Number of documents at which a batch is sent; tests send fewer.</summary>
    public int MaxBatchDocuments { get; init; } = 10_000;

    [Setting(
        "Maximum number of batches in flight, over all messages", Min = "1", Max = "256",
        Consequence = "More batches than the cluster has write threads only fill its queue.", Advanced = true)]
    public int MaxInFlight { get; init; } = 4;

    [Setting("Time limit of opening a connection", Min = "100ms", Max = "1m", Advanced = true)]
    public TimeSpan ConnectTimeout { get; init; } = TimeSpan.FromSeconds(2);

    [Setting("Time limit of one request", Min = "100ms", Max = "10m", Advanced = true)]
    public TimeSpan AttemptTimeout { get; init; } = TimeSpan.FromSeconds(30);

    [Setting(
        "Time limit of one batch, all attempts and waits included", Min = "100ms", Max = "30m",
        Consequence = "Beyond Intake:MessageTimeout the message is cancelled first.", Advanced = true)]
    public TimeSpan TotalTimeout { get; init; } = TimeSpan.FromSeconds(60);

    [Setting("Attempts in a row without progress on a batch, the first included", Min = "1", Max = "20", Advanced = true)]
    public int MaxAttempts { get; init; } = 4;

    /// <summary>The addresses that requests go to; fewer than configured where one is none.</summary>
    public IReadOnlyList<Uri> Nodes => [.. Endpoint.Select(text => Uri.TryCreate(text, UriKind.Absolute, out Uri? node) ? node : null).OfType<Uri>()];

    /// <inheritdoc/>
    public void Validate(SettingsCheck check)
    {
        ValidateNodes(check);
        if (Index is not null && !IndexName.IsValid(Index))
        {
            check.Fail(nameof(Index), IndexName.Rule, "Elasticsearch would refuse every document.");
        }

        if (Pipeline is not null && (Pipeline.Length == 0 || Pipeline.Any(char.IsControl)))
        {
            check.Fail(nameof(Pipeline), "must be a pipeline's name, or be left out.", "Elasticsearch would refuse every document.");
        }

        ValidateCredentials(check);
        ValidateCertificate(check);
        if (ConnectTimeout > AttemptTimeout)
        {
            check.Fail(nameof(ConnectTimeout), $"must not be above {nameof(AttemptTimeout)}.", "It would never be reached.", nameof(AttemptTimeout));
        }

        if (AttemptTimeout > TotalTimeout)
        {
            check.Fail(nameof(AttemptTimeout), $"must not be above {nameof(TotalTimeout)}.", "It would never be reached.", nameof(TotalTimeout));
        }
    }

    private void ValidateNodes(SettingsCheck check)
    {
        const string Unreachable = "Requests would not arrive, or documents would travel unencrypted.";
        if (Nodes.Count < Endpoint.Length)
        {
            check.Fail(nameof(Endpoint), "must be absolute addresses such as https://search.example:9200, separated by commas.", Unreachable);
        }

        foreach (Uri node in Nodes)
        {
            if (FindProblem(node) is { } problem)
            {
                check.Fail(nameof(Endpoint), problem, Unreachable);
            }
            else if (!node.IsLoopback && node.Scheme == Uri.UriSchemeHttp && !AllowPlainHttp)
            {
                check.Fail(
                    nameof(Endpoint), $"must be https, because the host is not this machine; set {nameof(AllowPlainHttp)} to allow plain http.", Unreachable,
                    nameof(AllowPlainHttp));
            }
        }
    }

    private static string? FindProblem(Uri endpoint)
    {
        if (!endpoint.IsAbsoluteUri || (endpoint.Scheme != Uri.UriSchemeHttps && endpoint.Scheme != Uri.UriSchemeHttp))
        {
            return "must be an http or https address.";
        }

        return endpoint.UserInfo.Length != 0 || endpoint.Query.Length != 0 || endpoint.Fragment.Length != 0
            ? $"must be scheme, host, port and path only; credentials belong in {nameof(ApiKey)}, or {nameof(Username)} and {nameof(Password)}."
            : null;
    }

    private void ValidateCredentials(SettingsCheck check)
    {
        if (ApiKey is not null && (Username ?? Password) is not null)
        {
            check.Fail(
                nameof(ApiKey), $"must not be set together with {nameof(Username)} or {nameof(Password)}.", "It would be unclear which credentials apply.",
                nameof(Username), nameof(Password));
        }

        if (SigV4 != AwsSigning.None && (ApiKey ?? Username ?? Password) is not null)
        {
            check.Fail(
                nameof(SigV4), $"must not be set together with {nameof(ApiKey)}, {nameof(Username)} or {nameof(Password)}.",
                "It would be unclear which credentials apply.", nameof(ApiKey), nameof(Username), nameof(Password));
        }

        if (SigV4 != AwsSigning.None && GzipRequests)
        {
            check.Fail(
                nameof(SigV4), $"must not be set together with {nameof(GzipRequests)}.",
                "The signature covers the bytes as they are sent, which are known only while they are compressed.", nameof(GzipRequests));
        }

        if (Username is not null != Password is not null)
        {
            (string missing, string given) = Username is null ? (nameof(Username), nameof(Password)) : (nameof(Password), nameof(Username));
            check.Fail(missing, $"must be set when {given} is.", "Requests would be refused.", given);
        }

        if (Username?.Contains(':', StringComparison.Ordinal) == true)
        {
            check.Fail(nameof(Username), "must not contain a colon.", "Basic authentication would read the text after it as the password.");
        }

        // The encoded form is base64; other characters would break the header.
        if (ApiKey is not null && (ApiKey.Length == 0 || !ApiKey.All(c => char.IsAsciiLetterOrDigit(c) || c is '+' or '/' or '=' or '-' or '_')))
        {
            check.Fail(nameof(ApiKey), "must be the encoded form of an API key, which is base64.", "Requests would be refused.");
        }
    }

    private void ValidateCertificate(SettingsCheck check)
    {
        if (ClientCertificate is null)
        {
            if ((ClientCertificateKey ?? ClientCertificatePassword) is not null)
            {
                check.Fail(
                    nameof(ClientCertificate), $"must be set when {nameof(ClientCertificateKey)} or {nameof(ClientCertificatePassword)} is.",
                    "They would have no effect.", nameof(ClientCertificateKey), nameof(ClientCertificatePassword));
            }
        }
        else if (ClientCertificateKey is not null && PresentedCertificate.IsPkcs12(ClientCertificate))
        {
            check.Fail(
                nameof(ClientCertificateKey), "must not be set for a PKCS #12 file, which contains its key.", "It would have no effect.",
                nameof(ClientCertificate));
        }
        else if (PresentedCertificate.FindProblem(ClientCertificate, ClientCertificateKey, ClientCertificatePassword) is { } problem)
        {
            string how = $"with {nameof(ClientCertificateKey)} and {nameof(ClientCertificatePassword)} {problem}";
            check.Fail(
                nameof(ClientCertificate), how, "The server would refuse the connection.", nameof(ClientCertificateKey), nameof(ClientCertificatePassword));
        }
    }
}
