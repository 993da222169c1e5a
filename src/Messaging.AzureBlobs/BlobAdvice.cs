using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.AzureBlobs;

/// <summary>Tells an operator what a refusal means and what to do.</summary>
internal static class BlobAdvice
{
    private const string Section = BlobSinkOptions.Section;

    /// <summary>One sentence for a refusal.</summary>
    /// <param name="fault">The refusal.</param>
    /// <param name="operation">What was refused.</param>
    /// <param name="options">The settings.</param>
    /// <param name="hasTags">True when the blob has index tags, which need a permission of their own.</param>
    /// <param name="now">The time, by which a signature may have expired.</param>
    public static string For(in BlobFault fault, ApiOperation operation, BlobSinkOptions options, bool hasTags, DateTimeOffset now) => fault.Code switch
    {
        BlobFault.CredentialsCode =>
            $"There are no credentials: run with a managed or workload identity, sign in with the Azure CLI, or set {Section}:ConnectionString.",
        "ContainerNotFound" or "ResourceNotFound" => $"The container '{options.Container}' does not exist: create it or set {Section}:Container.",
        "ContainerDisabled" => $"The container '{options.Container}' is disabled: its administrator can enable it.",
        "AccountIsDisabled" => "The storage account is disabled: enable its subscription.",
        _ when fault.Status is 401 or 403 && options.SignatureExpiry is { } expiry && expiry <= now =>
            $"The shared access signature expired at {expiry:u}: set a new one in {Section}:ConnectionString.",
        "KeyBasedAuthenticationNotPermitted" => $"The account allows no keys: set {Section}:Endpoint instead of ConnectionString, and run with an identity.",
        _ when IsOfCredentials(fault) => "The credentials are refused: check the account key or the signature and its dates, and this machine's clock.",
        "AuthorizationFailure" or "AuthorizationSourceIPMismatch" =>
            "Check the account's key and network rules, and the addresses of the signature: they exclude this machine.",
        "BlobAccessTierNotSupportedForAccountType" or "InvalidBlobTier" => $"The account has no tier {options.AccessTier}: remove {Section}:AccessTier.",
        _ when fault.Status is 401 or 403 => $"Grant {PermissionFor(operation, hasTags)} on the container '{options.Container}'.",
        _ => $"Check the settings of {Section} and the container '{options.Container}'.",
    };

    /// <summary>True for a refusal that every request gets, whatever it is to do.</summary>
    public static bool IsOfEveryRequest(in BlobFault fault, BlobSinkOptions options, DateTimeOffset now) =>
        IsOfCredentials(fault)
            || fault.Code is "AuthorizationFailure" or "AuthorizationSourceIPMismatch" or "AccountIsDisabled"
            || (fault.Status is 401 or 403 && options.SignatureExpiry <= now);

    private static bool IsOfCredentials(in BlobFault fault) =>
        fault.Code is BlobFault.CredentialsCode or "AuthenticationFailed" or "InvalidAuthenticationInfo" or "NoAuthenticationInformation"
            or "KeyBasedAuthenticationNotPermitted";

    private static string PermissionFor(ApiOperation operation, bool hasTags) =>
        operation == BlobCalls.Put
            ? hasTags ? "the role Storage Blob Data Owner (signature: Create and Tag)" : "the role Storage Blob Data Contributor (signature: Create)"
            : operation == BlobCalls.List ? "the role Storage Blob Data Contributor (signature: List)"
            : "the role Storage Blob Data Contributor (signature: Read), to compare duplicates";
}
