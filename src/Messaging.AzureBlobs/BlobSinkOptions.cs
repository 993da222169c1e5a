using System.Collections.ObjectModel;
using System.Globalization;
using System.Net.Http.Headers;
using System.Text.RegularExpressions;
using Azure.Storage.Blobs;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Sinks;

namespace Quayside.Messaging.AzureBlobs;

/// <summary>Section <c>Sinks:AzureBlobs</c>: the container, and what every blob gets beside its bytes.</summary>
internal sealed partial class BlobSinkOptions : ISelfValidating
{
    public const string Section = "Sinks:AzureBlobs";

    private const string Refused = "No blob could be stored.";

    [Setting("Connection string of the storage account, with its key or a shared access signature; this or Endpoint", Secret = true)]
    public string? ConnectionString { get; init; }

    [Setting(
        "Blob endpoint of the storage account, such as https://myaccount.blob.core.windows.net; credentials come from Azure.Identity's DefaultAzureCredential "
            + "(environment, workload or managed identity, Azure CLI)", Consequence = "A connection string belongs in ConnectionString.")]
    public Uri? Endpoint { get; init; }

    [Setting("Container the blobs are stored in; it must exist", Required = true)]
    public string? Container { get; init; }

    [Setting("Allows plain http to an endpoint on another machine", Advanced = true)]
    public bool AllowPlainHttp { get; init; }

    [Setting("Access tier of the blobs: Hot, Cool, Cold or Archive; default: the account's", Advanced = true)]
    public BlobTier? AccessTier { get; init; }

    [Setting("Content type of the blobs; default `application/json`, for bundles `application/gzip`", Advanced = true)]
    public string? ContentType { get; init; }

    [Setting("Content encoding of the blobs, such as gzip, for bodies that are stored compressed; default none", Advanced = true)]
    public string? ContentEncoding { get; init; }

    [Setting("Metadata of every blob, by its name, a C# identifier; at most 8,192 bytes of names and values", Advanced = true)]
    public IReadOnlyDictionary<string, string> Metadata { get; init; } = ReadOnlyDictionary<string, string>.Empty;

    [Setting("Index tags of every blob, by their keys; at most 10", Advanced = true)]
    public IReadOnlyDictionary<string, string> Tags { get; init; } = ReadOnlyDictionary<string, string>.Empty;

    [Setting("Time to open a connection", Min = "100ms", Max = "1m", Advanced = true)]
    public TimeSpan ConnectTimeout { get; init; } = TimeSpan.FromSeconds(2);

    [Setting("Time limit of one request", Min = "100ms", Max = "5m", Advanced = true)]
    public TimeSpan AttemptTimeout { get; init; } = TimeSpan.FromSeconds(5);

    [Setting(
        "Time limit of storing one blob, all attempts and waits included", Min = "100ms", Max = "10m",
        Consequence = "Beyond the queue's visibility timeout a message would be handled twice.", Advanced = true)]
    public TimeSpan TotalTimeout { get; init; } = TimeSpan.FromSeconds(20);

    [Setting("Attempts to store one blob, the first included", Min = "1", Max = "20", Advanced = true)]
    public int MaxAttempts { get; init; } = 3;

    /// <summary>When the connection string's shared access signature expires; null when it has none, or does not say.</summary>
    public DateTimeOffset? SignatureExpiry =>
        SignatureEnd().Match(ConnectionString ?? string.Empty) is { Success: true, Value: var end }
        && DateTimeOffset.TryParse(Uri.UnescapeDataString(end), CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal, out DateTimeOffset expiry)
            ? expiry
            : null;

    /// <inheritdoc/>
    public void Validate(SettingsCheck check)
    {
        ValidateAccount(check);
        if (Container is not null && !IsContainer(Container))
        {
            check.Fail(
                nameof(Container), "must be a container's name: 3 to 63 lower-case letters, digits and single dashes, with a letter or digit at both ends.",
                "Requests would go elsewhere.");
        }

        if (ConnectTimeout > AttemptTimeout)
        {
            check.Fail(nameof(ConnectTimeout), $"must not be above {nameof(AttemptTimeout)}.", "It would never be reached.", nameof(AttemptTimeout));
        }

        if (AttemptTimeout > TotalTimeout)
        {
            check.Fail(nameof(AttemptTimeout), $"must not be above {nameof(TotalTimeout)}.", "It would never be reached.", nameof(TotalTimeout));
        }

        if (ContentType is not null && !MediaTypeHeaderValue.TryParse(ContentType, out _))
        {
            check.Fail(nameof(ContentType), "must be a media type such as application/json.", Refused);
        }

        if (ContentEncoding is not null && !ContentEncoding.All(c => c is >= ' ' and <= '~'))
        {
            check.Fail(nameof(ContentEncoding), "must be printable ASCII.", Refused);
        }

        foreach (string problem in BlobPropertyRules.FindProblems(Metadata, ObjectPropertyKind.Metadata))
        {
            check.Fail(nameof(Metadata), problem, Refused);
        }

        foreach (string problem in BlobPropertyRules.FindProblems(Tags, ObjectPropertyKind.Tag))
        {
            check.Fail(nameof(Tags), problem, Refused);
        }
    }

    [GeneratedRegex(@"(?<=SharedAccessSignature=([^;]*&|\??)se=)[^&;]+", RegexOptions.IgnoreCase | RegexOptions.ExplicitCapture)]
    private static partial Regex SignatureEnd();

    // "Naming and referencing containers, blobs, and metadata".
    private static bool IsContainer(string name) =>
        name.Length is >= 3 and <= 63
        && name.All(c => char.IsAsciiLetterLower(c) || char.IsAsciiDigit(c) || c == '-')
        && !name.StartsWith('-') && !name.EndsWith('-') && !name.Contains("--", StringComparison.Ordinal);

    private void ValidateAccount(SettingsCheck check)
    {
        if (ConnectionString is null == Endpoint is null)
        {
            (string problem, string consequence) = Endpoint is null
                ? ("must be set, or ConnectionString.", "There would be nothing to connect to.")
                : ("must not be set together with ConnectionString.", "It would be unclear which credentials apply.");
            check.Fail(nameof(Endpoint), problem, consequence, nameof(ConnectionString));
        }

        if (Endpoint is not null
            && (Endpoint.Scheme != Uri.UriSchemeHttps || Endpoint.UserInfo.Length != 0 || Endpoint.PathAndQuery != "/" || Endpoint.Fragment.Length != 0))
        {
            check.Fail(
                nameof(Endpoint), "must be an https address of scheme, host and port only; a shared access signature belongs in ConnectionString.",
                "Identities are never sent unencrypted.");
        }

        if (ConnectionString is not null && FindProblem(ConnectionString) is { } wrong)
        {
            check.Fail(nameof(ConnectionString), wrong, "The client would refuse it, or blobs would be in another container.");
        }
    }

    // Contains no text of the string, which has secrets.
    private string? FindProblem(string connectionString)
    {
        string[] credentials = ["AccountKey=", "SharedAccessSignature=", "UseDevelopmentStorage="];
        if (!credentials.Any(name => connectionString.Contains(name, StringComparison.OrdinalIgnoreCase)))
        {
            return "must contain AccountName and AccountKey, or SharedAccessSignature; for an identity without a key, set Endpoint instead.";
        }

        try
        {
            Uri uri = new BlobServiceClient(connectionString).Uri;
            BlobUriBuilder address = new(uri);
            if (address.BlobName.Length != 0 || (address.BlobContainerName.Length != 0 && Container is not null && address.BlobContainerName != Container))
            {
                return "must have a BlobEndpoint that ends at the account, such as https://myaccount.blob.core.windows.net, "
                    + "or at the container that Container names.";
            }

            return uri.Scheme == Uri.UriSchemeHttp && !uri.IsLoopback && !AllowPlainHttp
                ? "must use https, because the host is not this machine; set AllowPlainHttp to allow plain http."
                : null;
        }
        catch (Exception exception) when (exception is FormatException or ArgumentException or InvalidOperationException)
        {
            return "must be a storage account's: DefaultEndpointsProtocol=https;AccountName=...;AccountKey=...;EndpointSuffix=core.windows.net, or "
                + "BlobEndpoint=https://...;SharedAccessSignature=....";
        }
    }
}

/// <summary>The access tiers of block blobs that a setting can name.</summary>
internal enum BlobTier
{
    /// <summary>For blobs that are read often.</summary>
    Hot = 0,

    /// <summary>For blobs that are read rarely, and kept 30 days or more.</summary>
    Cool,

    /// <summary>As Cool; kept 90 days or more.</summary>
    Cold,

    /// <summary>Offline: reading takes hours.</summary>
    Archive,
}
