namespace Benchmarks.Aws.Wire;

/// <summary>Who the clients say they are. The servers believe it.</summary>
internal static class WireAccount
{
    public const string Region = "us-east-1";

    // The example keys of AWS's documentation.
    public const string AccessKey = "AKIAIOSFODNN7EXAMPLE";
    public const string SecretKey = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
}
