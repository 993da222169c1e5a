namespace Benchmarks.Aws.Wire;

/// <summary>The credentials that the clients send. The servers do not check them.</summary>
internal static class WireAccount
{
    public const string Region = "us-east-1";

    // The example keys of AWS's documentation.
    public const string AccessKey = "AKIAIOSFODNN7EXAMPLE";
    public const string SecretKey = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
}
