using System.Buffers;
using Amazon.Runtime;
using Amazon.Runtime.CredentialManagement;
using Messaging.Telemetry;

namespace Messaging.Aws;

/// <summary>Finds the region to sign for.</summary>
internal static class AwsRegion
{
    private static readonly SearchValues<char> Allowed = SearchValues.Create("abcdefghijklmnopqrstuvwxyz0123456789-");

    /// <summary>True for lower-case letters, digits and dashes, at most 32 of them.</summary>
    public static bool IsWellFormed(string region) =>
        region.Length is > 0 and <= 32 && !region.AsSpan().ContainsAnyExcept(Allowed);

    /// <summary>
    /// The option, then <paramref name="fromAddress"/>, then <c>AWS_REGION</c> and <c>AWS_DEFAULT_REGION</c> (AWSSDK 4 does not
    /// read the second), then the configured profile, then AWSSDK's chain (default profile, instance metadata). The last may
    /// take seconds: call it at start only.
    /// </summary>
    /// <param name="options">The validated options.</param>
    /// <param name="fromAddress">The region named by the queue's own address, where there is one.</param>
    /// <param name="environment">Reads a variable; null when it is not set.</param>
    /// <exception cref="Hosting.StartupException">None of them names a region.</exception>
    public static string Resolve(AwsOptions options, string? fromAddress, Func<string, string?> environment)
    {
        string? region = NullIfEmpty(options.Region)
            ?? NullIfEmpty(fromAddress)
            ?? NullIfEmpty(environment("AWS_REGION"))
            ?? NullIfEmpty(environment("AWS_DEFAULT_REGION"))
            ?? OfProfile(options.Profile)
            ?? FallbackRegionFactory.GetRegionEndpoint()?.SystemName;
        if (region is null)
        {
            throw new Hosting.StartupException(
                $"No AWS region is known: set {AwsOptions.Section}:{nameof(AwsOptions.Region)} or the environment variable AWS_REGION (such as eu-west-1).",
                Hosting.ExitCodes.Configuration);
        }

        return IsWellFormed(region)
            ? region
            : throw new Hosting.StartupException(
                $"\"{UntrustedText.Shorten(region)}\" is not an AWS region: set {AwsOptions.Section}:{nameof(AwsOptions.Region)} or AWS_REGION to a name such as eu-west-1.",
                Hosting.ExitCodes.Configuration);
    }

    /// <summary>The domain of the partition a region is in; with <c>sqs.{region}.</c> before it, the service's host.</summary>
    public static string DomainOf(string region) =>
        region.StartsWith("cn-", StringComparison.Ordinal) ? "amazonaws.com.cn" : "amazonaws.com";

    private static string? OfProfile(string? profile) =>
        profile is not null && new CredentialProfileStoreChain().TryGetProfile(profile, out CredentialProfile found)
            ? found.Region?.SystemName
            : null;

    private static string? NullIfEmpty(string? text) => string.IsNullOrWhiteSpace(text) ? null : text.Trim();
}
