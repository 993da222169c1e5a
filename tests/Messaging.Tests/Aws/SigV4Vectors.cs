namespace Messaging.Tests.Aws;

/// <summary>
/// Signatures published by AWS. The suite's cases: "aws-sig-v4-test-suite", now kept in awslabs/aws-c-auth below
/// tests/aws-signing-test-suite/v4 (those to the path / without a query, which the worker signs itself). The S3
/// cases: "Signature calculations for the Authorization header", Amazon S3 API reference.
/// </summary>
internal static class SigV4Vectors
{
    public const string SuiteAccessKey = "AKIDEXAMPLE";
    public const string SuiteSecretKey = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
    public const string S3AccessKey = "AKIAIOSFODNN7EXAMPLE";
    public const string S3SecretKey = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";

    private const string StsToken =
        "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
        + "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64"
        + "lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==";

    /// <summary>Service "service", us-east-1, 2015-08-30 12:36:00, host example.amazonaws.com.</summary>
    public static readonly SigV4Vector[] Suite =
    [
        Get("get-vanilla", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        Get("get-header-key-duplicate", "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea", ("My-Header1", "value2,value2,value1")),
        Get("get-header-value-order", "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01", ("My-Header1", "value4,value1,value3,value2")),
        Get("get-header-value-trim", "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736", ("My-Header1", " value1"),
            ("My-Header2", " \"a   b   c\"")),
        Get("get-vanilla-with-session-token", "07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8") with
        {
            SessionToken = "6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267",
            SignedHeaders = "host;x-amz-date;x-amz-security-token",
        },
        Post("post-vanilla", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
        Post("post-sts-header-after", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
        Post("post-sts-header-before", "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead") with
        {
            SessionToken = StsToken,
            SignedHeaders = "host;x-amz-date;x-amz-security-token",
        },
        Post("post-header-key-sort", "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c", ("My-Header1", "value1")),
        Post("post-header-value-case", "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d", ("My-Header1", "VALUE1")),
        Post("post-x-www-form-urlencoded (first edition)", "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
            ("Content-Type", "application/x-www-form-urlencoded")) with
        {
            Body = "Param1=value1",
        },
    ];

    /// <summary>Service s3, us-east-1, 2013-05-24 00:00:00, host examplebucket.s3.amazonaws.com.</summary>
    public static readonly SigV4Vector[] S3 =
    [
        new()
        {
            Name = "GET object",
            Path = "/test.txt",
            Headers = [("Range", "bytes=0-9")],
            SignedHeaders = "host;range;x-amz-content-sha256;x-amz-date",
            Signature = "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
        },
        new()
        {
            Name = "PUT object",
            Method = "PUT",
            Path = "/test%24file.text",
            Headers = [("Date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY")],
            Body = "Welcome to Amazon S3.",
            SignedHeaders = "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
            Signature = "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
        },
        new()
        {
            Name = "GET bucket lifecycle",
            Query = "lifecycle=",
            SignedHeaders = "host;x-amz-content-sha256;x-amz-date",
            Signature = "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
        },
        new()
        {
            Name = "GET bucket (list objects)",
            Query = "max-keys=2&prefix=J",
            SignedHeaders = "host;x-amz-content-sha256;x-amz-date",
            Signature = "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
        },
    ];

    private static SigV4Vector Get(string name, string signature, params (string Name, string Value)[] headers) =>
        new() { Name = name, Signature = signature, Headers = headers, SignedHeaders = NamesOf(headers) };

    private static SigV4Vector Post(string name, string signature, params (string Name, string Value)[] headers) =>
        new() { Name = name, Signature = signature, Method = "POST", Headers = headers, SignedHeaders = NamesOf(headers) };

    private static string NamesOf((string Name, string Value)[] headers) =>
        string.Join(';', headers.Select(h => h.Name.ToLowerInvariant()).Append("host").Append("x-amz-date").Order(StringComparer.Ordinal));
}
