using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Aws.Sqs.Wire;
using Quayside.Messaging.Configuration;

namespace Messaging.Tests.Aws;

/// <summary>Where the address of an AWS-compatible server comes from; in the order that AWS documents.</summary>
public sealed class AwsEndpointTests : IDisposable
{
    private const string Files = """
        [default]
        endpoint_url = http://127.0.0.1:1
        [profile local]
        region = eu-west-1
        endpoint_url = http://127.0.0.1:4566
        [profile split]
        region = eu-west-1
        services = split
        endpoint_url = http://127.0.0.1:4566
        [services split]
        s3 =
          endpoint_url = http://127.0.0.1:9000
        [profile ignoring]
        endpoint_url = http://127.0.0.1:4566
        ignore_configured_endpoint_urls = true
        [profile none]
        region = eu-west-1
        [profile plain]
        endpoint_url = http://store.example:9000
        [profile secret]
        endpoint_url = https://user:canary@store.example
        """;

    private readonly TemporaryFolder _folder = new();

    public AwsEndpointTests()
    {
        File.WriteAllText(_folder["credentials"], string.Empty);
        File.WriteAllText(_folder["config"], Files);
    }

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData("local", "S3", "http://127.0.0.1:4566/")]
    [InlineData("local", "SQS", "http://127.0.0.1:4566/")]
    [InlineData("split", "S3", "http://127.0.0.1:9000/")]
    [InlineData("split", "SQS", "http://127.0.0.1:4566/")]
    [InlineData("ignoring", "S3", null)]
    [InlineData("none", "S3", null)]
    [InlineData("unknown", "S3", null)]
    [InlineData(null, "S3", "http://127.0.0.1:1/")]
    public void FindCustom_EachProfile_IsItsEndpoint(string? profile, string service, string? endpoint)
    {
        (Find(new AwsOptions { Profile = profile }, service)?.ToString()).ShouldBe(endpoint);
        (Find(new AwsOptions(), service, ("AWS_PROFILE", profile))?.ToString()).ShouldBe(endpoint);
    }

    [Fact]
    public void FindCustom_SettingAndVariables_WinOverTheProfile()
    {
        AwsOptions split = new() { Profile = "split" };

        Find(new AwsOptions { Profile = "split", Endpoint = new Uri("http://127.0.0.1:2") }, "S3").ShouldBe(new Uri("http://127.0.0.1:2"));
        Find(split, "S3", ("AWS_ENDPOINT_URL", "http://127.0.0.1:3")).ShouldBe(new Uri("http://127.0.0.1:3"));
        Find(split, "S3", ("AWS_ENDPOINT_URL", "http://127.0.0.1:3"), ("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:4\n")).ShouldBe(new Uri("http://127.0.0.1:4"));
        Find(split, "S3", ("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "true")).ShouldBeNull();
    }

    [Theory]
    [InlineData("plain", "endpoint_url of the AWS profile \"plain\" for S3 must be https")]
    [InlineData("secret", "endpoint_url of the AWS profile \"secret\" for S3 must consist of scheme, host, port and path only")]
    public void FindCustom_ProfileWithAnAddressThatCannotBeUsed_FailsAtStart(string profile, string problem)
    {
        StartupException refused = Should.Throw<StartupException>(() => Find(new AwsOptions { Profile = profile }, "S3"));

        refused.ExitCode.ShouldBe(ExitCodes.Configuration);
        refused.Message.ShouldStartWith(problem);
        refused.Message.ShouldNotContain("canary");
    }

    [Fact]
    public void FindCustom_FileThatCannotBeRead_FailsAtStartWithoutShowingItsLine()
    {
        File.WriteAllText(_folder["credentials"], "[local]\naws_secret_access_key canary\n");

        StartupException refused = Should.Throw<StartupException>(() => Find(new AwsOptions { Profile = "local" }, "S3"));

        refused.ExitCode.ShouldBe(ExitCodes.Configuration);
        refused.ToString().ShouldNotContain("canary");
    }

    /// <summary>The keys of a local store must not reach AWS.</summary>
    [Fact]
    public void Resolve_ProfileOfALocalStore_IsNeverAws()
    {
        AwsOptions local = new() { Profile = "local", Region = "eu-west-1" };

        S3Endpoint.Resolve(forcePathStyle: null, local, Environment).Custom.ShouldBe(new Uri("http://127.0.0.1:4566"));
        SqsEndpoint.Resolve(local, SqsQueueReference.Parse("orders")!, Environment).BaseUri.ShouldBe(new Uri("http://127.0.0.1:4566"));
    }

    [Theory]
    [InlineData("https://store.example/storage/v1/s3", true, null)]
    [InlineData("https://store.example/storage/v1/s3", false, "must consist of scheme, host and port only")]
    [InlineData(
        "https://store.example/?X-Amz-Signature=a", true, "must consist of scheme, host, port and path only; keys belong in AccessKeyId and SecretAccessKey.")]
    [InlineData("https://user:a@store.example", true, "must consist of scheme, host, port and path only; keys belong in AccessKeyId and SecretAccessKey.")]
    public void FindProblem_EachAddress_IsUsableOrNot(string address, bool allowPath, string? problem)
    {
        string? found = AwsEndpoint.FindProblem(new Uri(address), allowPlainHttp: false, allowPath);

        (found is null).ShouldBe(problem is null);
        (found ?? string.Empty).ShouldStartWith(problem ?? string.Empty);
    }

    private Uri? Find(AwsOptions options, string service, params (string Name, string? Value)[] environment) =>
        AwsEndpoint.FindCustom(options, service, name => Array.Find(environment, variable => variable.Name == name).Value ?? Environment(name));

    private string? Environment(string name) => name switch
    {
        "AWS_SHARED_CREDENTIALS_FILE" => _folder["credentials"],
        "AWS_CONFIG_FILE" => _folder["config"],
        _ => null,
    };
}
