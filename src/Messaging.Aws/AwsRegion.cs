using System.Buffers;
using Amazon;
using Amazon.Runtime;
using Amazon.Runtime.CredentialManagement;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Aws;

/// <summary>Finds the region to sign for.</summary>
internal static class AwsRegion
{
    private static readonly SearchValues<char> Allowed = SearchValues.Create("abcdefghijklmnopqrstuvwxyz0123456789-");

    /// <summary>True for 1 to 32 lower-case letters, digits and dashes.</summary>
    public static bool IsWellFormed(string region) =>
        region.Length is > 0 and <= 32 && !region.AsSpan().ContainsAnyExcept(Allowed);

    /// <summary>
    /// The option, then <paramref name="fromAddress"/> (the region in the queue's address), then <c>AWS_REGION</c> and
    /// <c>AWS_DEFAULT_REGION</c> (AWSSDK 4 does not read the second), then the configured profile, then <paramref name="otherwise"/>. Without one,
    /// AWSSDK's chain (default profile, instance metadata), which may take seconds: call it at start only.
    /// </summary>
    /// <exception cref="StartupException">None of them names a region.</exception>
    public static string Resolve(AwsOptions options, string? fromAddress, Func<string, string?> environment, string? otherwise = null)
    {
        string? region = Find(options, fromAddress, environment, otherwise, asksInstance: true);
        if (region is null)
        {
            throw new StartupException(
                $"No AWS region is known: set {AwsOptions.Section}:{nameof(AwsOptions.Region)} or the environment variable AWS_REGION (such as eu-west-1).",
                ExitCodes.Configuration);
        }

        return IsWellFormed(region)
            ? region
            : throw new StartupException(
                $"\"{UntrustedText.Shorten(region)}\" is not an AWS region: "
                    + $"set {AwsOptions.Section}:{nameof(AwsOptions.Region)} or AWS_REGION to a name such as eu-west-1.",
                ExitCodes.Configuration);
    }

    /// <summary>True when <see cref="Resolve"/> would ask the instance's metadata.</summary>
    public static bool AsksInstance(AwsOptions options, string? fromAddress, Func<string, string?> environment, string? otherwise = null) =>
        !string.Equals(environment("AWS_EC2_METADATA_DISABLED"), "true", StringComparison.OrdinalIgnoreCase)
        && Find(options, fromAddress, environment, otherwise, asksInstance: false) is null;

    private static string? Find(AwsOptions options, string? fromAddress, Func<string, string?> environment, string? otherwise, bool asksInstance) =>
        NullIfEmpty(options.Region)
        ?? NullIfEmpty(fromAddress)
        ?? NullIfEmpty(environment("AWS_REGION"))
        ?? NullIfEmpty(environment("AWS_DEFAULT_REGION"))
        ?? OfProfile(options.Profile)
        ?? otherwise
        ?? FallbackRegionFactory.GetRegionEndpoint(asksInstance)?.SystemName;

    /// <summary>The domain of a region's partition: with the prefix <c>sqs.{region}.</c>, the service's host.</summary>
    public static string DomainOf(string region) => RegionEndpoint.GetBySystemName(region).PartitionDnsSuffix;

    private static string? OfProfile(string? profile) =>
        profile is not null && new CredentialProfileStoreChain().TryGetProfile(profile, out CredentialProfile found)
            ? found.Region?.SystemName
            : null;

    private static string? NullIfEmpty(string? text) => string.IsNullOrWhiteSpace(text) ? null : text.Trim();
}
