using System.Buffers;
using Quayside.Pipeline.Messages;

namespace Quayside.Messaging.Aws.Sqs.Wire;

/// <summary>A queue as configured: by URL, by ARN or by plain name.</summary>
/// <param name="Name">The queue's name.</param>
/// <param name="Account">The account that owns it; null for the caller's own.</param>
/// <param name="Region">The region that the ARN or an AWS host names; null otherwise.</param>
/// <param name="Url">The URL as configured; null when the service must be asked.</param>
internal sealed record SqsQueueReference(string Name, string? Account, string? Region, Uri? Url)
{
    private const int MaxName = 80;
    private const string FifoSuffix = ".fifo";

    private static readonly SearchValues<char> NameChars =
        SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_");

    /// <summary>True for a FIFO queue, recognised by its name.</summary>
    public bool IsFifo => Name.EndsWith(FifoSuffix, StringComparison.Ordinal);

    /// <summary>The queue, for spans.</summary>
    public MessageDestination Destination => new("aws_sqs", Name);

    /// <summary>True when the URL's host belongs to AWS; false for other hosts and when there is no URL.</summary>
    public bool IsAwsUrl => Url is not null && SqsHost.Parse(Url.IdnHost) is not null;

    /// <summary>Reads <c>https://sqs.{region}.amazonaws.com/{account}/{name}</c>, <c>arn:aws:sqs:{region}:{account}:{name}</c> or <c>{name}</c>.</summary>
    /// <returns>Null when it is none of these.</returns>
    public static SqsQueueReference? Parse(string text)
    {
        text = text.Trim();
        if (text.StartsWith("arn:", StringComparison.Ordinal))
        {
            return ParseArn(text);
        }

        if (text.Contains("://", StringComparison.Ordinal))
        {
            return ParseUrl(text);
        }

        return IsName(text) ? new SqsQueueReference(text, Account: null, Region: null, Url: null) : null;
    }

    private static SqsQueueReference? ParseArn(string text)
    {
        string[] parts = text.Split(':');
        return parts.Length == 6 && parts[2] == "sqs" && Aws.AwsRegion.IsWellFormed(parts[3]) && IsAccount(parts[4]) && IsName(parts[5])
            ? new SqsQueueReference(parts[5], parts[4], parts[3], Url: null)
            : null;
    }

    private static SqsQueueReference? ParseUrl(string text)
    {
        if (!Uri.TryCreate(text, UriKind.Absolute, out Uri? url)
            || (url.Scheme != Uri.UriSchemeHttps && url.Scheme != Uri.UriSchemeHttp)
            || url.UserInfo.Length != 0 || url.Query.Length != 0 || url.Fragment.Length != 0)
        {
            return null;
        }

        // Emulators have paths of their own (LocalStack: /queue/{region}/{account}/{name}; ElasticMQ: /queue/{name}); the name is last.
        string[] segments = url.AbsolutePath.Trim('/').Split('/');
        string? account = segments.Length >= 2 && IsAccount(segments[^2]) ? segments[^2] : null;
        SqsHost? host = SqsHost.Parse(url.IdnHost);
        return IsName(segments[^1]) && (host is null || (segments.Length == 2 && account is not null))
            ? new SqsQueueReference(segments[^1], account, host?.Region, url)
            : null;
    }

    private static bool IsAccount(string text) => text.Length == 12 && text.All(char.IsAsciiDigit);

    private static bool IsName(string text)
    {
        ReadOnlySpan<char> stem = text.EndsWith(FifoSuffix, StringComparison.Ordinal) ? text.AsSpan(0, text.Length - FifoSuffix.Length) : text;
        return !stem.IsEmpty && text.Length <= MaxName && !stem.ContainsAnyExcept(NameChars);
    }
}
