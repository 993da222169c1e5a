namespace Worker.Tests.Aws;

/// <summary>
/// Signatures AWS has published. The suite's cases: "aws-sig-v4-test-suite", now kept in awslabs/aws-c-auth below
/// tests/aws-signing-test-suite/v4 (its "unnormalized" forms where there are two, since this signer normalises nothing). The S3
/// cases: "Signature calculations for the Authorization header", Amazon S3 API reference.
/// </summary>
internal static class SigV4Vectors
{
    public const string SuiteAccessKey = "AKIDEXAMPLE";
    public const string SuiteSecretKey = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
    public const string S3AccessKey = "AKIAIOSFODNN7EXAMPLE";
    public const string S3SecretKey = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";

    private const string Unreserved = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    private const string BodyHash = "9095672bbd1f56dfc5b65f3e153adc8731a4a654192329106275f4c7b24d0b6e";

    private const string StsToken =
        "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/"
        + "kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64"
        + "lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==";

    /// <summary>Service "service", us-east-1, 2015-08-30 12:36:00, host example.amazonaws.com.</summary>
    public static readonly SigV4Vector[] Suite =
    [
        Get("get-vanilla", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        Get("get-vanilla-query-order-key-case", "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500", query: "Param2=value2&Param1=value1"),
        Get("get-vanilla-query-order-encoded", "371d3713e185cc334048618a97f809c9ffe339c62934c032af5a0e595648fcac", query: "Param-3=Value3&Param=Value2&%E1%88%B4=Value1"),
        Get("get-vanilla-empty-query-key", "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb", query: "Param1=value1"),
        Get("get-vanilla-query-unreserved", "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197", query: $"{Unreserved}={Unreserved}"),
        Get("get-vanilla-utf8-query", "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04", query: "\u1234=bar"),
        Get("get-unreserved", "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f", path: $"/{Unreserved}"),
        Get("get-utf8", "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85", path: "/\u1234"),
        Get("get-space", "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741", path: "/example space/"),
        Get("get-slash-unnormalized", "c88bcd3d312d75078c0cd961d6deae3f4c754924b01669efcfcb439fd5e5b76e", path: "//"),
        Get("get-slashes-unnormalized", "87cca117541a147f6df867677d98a7d80dff226d2bfca9e4ffa899665623c7e5", path: "//example//"),
        Get("get-slash-dot-slash-unnormalized", "68714168e6557f8f2de0ef956fc24dc2593a4bd2961f8df51898d8a134695145", path: "/./"),
        Get("get-slash-pointless-dot-unnormalized", "beb03f223f7deae4146464f06e29eebbee9c8afbe15c290cf07aa8b119e14cff", path: "/./example"),
        Get("get-relative-unnormalized", "eca7ead57bb5aa5c8e28007acd4ff04e1ff9a0ff3b237ec1554a184887ff9282", path: "/example/.."),
        Get("get-relative-relative-unnormalized", "dc33e0856fd4baca4d7aa2146c38958283844764f38c74252a333df5e613003b", path: "/example1/example2/../.."),
        Get("get-header-key-duplicate", "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea", headers: ("My-Header1", "value2,value2,value1")),
        Get("get-header-value-order", "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01", headers: ("My-Header1", "value4,value1,value3,value2")),
        Get("get-header-value-multiline", "cfd34249e4b1c8d6b91ef74165d41a32e5fab3306300901bb65a51a73575eefd", headers: ("My-Header1", "value1\n  value2\n     value3")),
        Get("get-header-value-trim", "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736", headers: [("My-Header1", " value1"), ("My-Header2", " \"a   b   c\"")]),
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
        Post("post-vanilla-query", "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11") with { Query = "Param1=value1" },
        Post("post-header-key-sort", "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c", ("My-Header1", "value1")),
        Post("post-header-value-case", "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d", ("My-Header1", "VALUE1")),
        Post("post-x-www-form-urlencoded (first edition)", "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a", ("Content-Type", "application/x-www-form-urlencoded")) with
        {
            Body = "Param1=value1",
        },
        Post("post-x-www-form-urlencoded", "d3875051da38690788ef43de4db0d8f280229d82040bfac253562e56c3f20e0b",
            ("Content-Type", "application/x-www-form-urlencoded"), ("Content-Length", "13"), ("x-amz-content-sha256", BodyHash)) with
        {
            Body = "Param1=value1",
            SignedHeaders = "content-length;content-type;host;x-amz-content-sha256;x-amz-date",
        },
        Post("post-x-www-form-urlencoded-parameters", "328d1b9eaadca9f5818ef05e8392801e091653bafec24fcab71e7344e7f51422",
            ("Content-Type", "application/x-www-form-urlencoded; charset=utf-8"), ("Content-Length", "13"), ("x-amz-content-sha256", BodyHash)) with
        {
            Body = "Param1=value1",
            SignedHeaders = "content-length;content-type;host;x-amz-content-sha256;x-amz-date",
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
            Query = "lifecycle",
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

    private static SigV4Vector Get(string name, string signature, string path = "/", string query = "", params (string Name, string Value)[] headers) =>
        new() { Name = name, Signature = signature, Path = path, Query = query, Headers = headers, SignedHeaders = NamesOf(headers) };

    private static SigV4Vector Post(string name, string signature, params (string Name, string Value)[] headers) =>
        new() { Name = name, Signature = signature, Method = "POST", Headers = headers, SignedHeaders = NamesOf(headers) };

    private static string NamesOf((string Name, string Value)[] headers) =>
        string.Join(';', headers.Select(h => h.Name.ToLowerInvariant()).Append("host").Append("x-amz-date").Order(StringComparer.Ordinal));
}
