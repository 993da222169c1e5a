using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.Sqs.Wire;
using Quayside.Messaging.Configuration;

namespace Messaging.Tests.Aws.Sqs.Wire;

public sealed class SqsEndpointTests
{
    [Theory]
    [InlineData("orders", "orders", null, null, false)]
    [InlineData(" orders.fifo ", "orders.fifo", null, null, true)]
    [InlineData("arn:aws:sqs:eu-west-1:123456789012:orders", "orders", "123456789012", "eu-west-1", false)]
    [InlineData("arn:aws-cn:sqs:cn-north-1:123456789012:o.fifo", "o.fifo", "123456789012", "cn-north-1", true)]
    [InlineData("https://sqs.eu-west-1.amazonaws.com/123456789012/orders", "orders", "123456789012", "eu-west-1", false)]
    [InlineData("https://us-west-2.queue.amazonaws.com/123456789012/orders", "orders", "123456789012", "us-west-2", false)]
    [InlineData("http://localhost:4566/000000000000/orders", "orders", "000000000000", null, false)]
    [InlineData("http://localhost:4566/queue/us-east-1/000000000000/orders", "orders", "000000000000", null, false)]
    [InlineData("http://localhost:9324/queue/orders", "orders", null, null, false)]
    public void Parse_QueueReference_GivesItsParts(string text, string name, string? account, string? region, bool isFifo)
    {
        SqsQueueReference queue = SqsQueueReference.Parse(text).ShouldNotBeNull();

        (queue.Name, queue.Account, queue.Region, queue.IsFifo).ShouldBe((name, account, region, isFifo));
    }

    [Theory]
    [InlineData("")]
    [InlineData("two words")]
    [InlineData("dotted.name")]
    [InlineData(".fifo")]
    [InlineData("arn:aws:s3:eu-west-1:123456789012:orders")]
    [InlineData("arn:aws:sqs:eu-west-1:12345:orders")]
    [InlineData("arn:aws:sqs::123456789012:orders")]
    [InlineData("ftp://sqs.eu-west-1.amazonaws.com/123456789012/orders")]
    [InlineData("https://user@sqs.eu-west-1.amazonaws.com/123456789012/orders")]
    [InlineData("https://sqs.eu-west-1.amazonaws.com/orders")]
    [InlineData("https://sqs.eu-west-1.amazonaws.com/123456789012/orders?x=1")]
    [InlineData("abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz12345")]
    public void Parse_NotAQueue_GivesNull(string text)
    {
        SqsQueueReference.Parse(text).ShouldBeNull();
    }

    [Theory]
    [InlineData("sqs.eu-west-1.amazonaws.com", "eu-west-1", false)]
    [InlineData("SQS.EU-WEST-1.AMAZONAWS.COM", "eu-west-1", false)]
    [InlineData("sqs-fips.us-east-2.amazonaws.com", "us-east-2", false)]
    [InlineData("sqs.us-east-2.api.aws", "us-east-2", false)]
    [InlineData("sqs.cn-north-1.amazonaws.com.cn", "cn-north-1", false)]
    [InlineData("sqs.eusc-de-east-1.amazonaws.eu", "eusc-de-east-1", false)]
    [InlineData("sqs.us-iso-east-1.c2s.ic.gov", "us-iso-east-1", false)]
    [InlineData("vpce-0a1b-2c3d.sqs.eu-west-1.vpce.amazonaws.com", "eu-west-1", false)]
    [InlineData("vpce-0a1b-2c3d.sqs.eusc-de-east-1.vpce.amazonaws.eu", "eusc-de-east-1", false)]
    [InlineData("cn-north-1.queue.amazonaws.com.cn", "cn-north-1", true)]
    [InlineData("queue.amazonaws.com", "us-east-1", true)]
    public void Parse_AwsHost_GivesItsRegion(string host, string region, bool isLegacy)
    {
        SqsHost.Parse(host).ShouldBe(new SqsHost(region, isLegacy));
    }

    [Theory]
    [InlineData("localhost")]
    [InlineData("sqs.eu-west-1.localhost.localstack.cloud")]
    [InlineData("sqs.eu-west-1.amazonaws.com.evil.example")]
    [InlineData("sqs.us-east-1.amazonaws.com.cn")]
    [InlineData("sqs.cn-north-1.amazonaws.com")]
    [InlineData("sqs.eusc-de-east-1.amazonaws.com")]
    [InlineData("s3.eu-west-1.amazonaws.com")]
    [InlineData("evil.sqs.eu-west-1.amazonaws.com")]
    [InlineData("amazonaws.com")]
    public void Parse_OtherHost_GivesNull(string host)
    {
        SqsHost.Parse(host).ShouldBeNull();
    }

    [Theory]
    [InlineData("orders", "eu-west-1", "https://sqs.eu-west-1.amazonaws.com/", "eu-west-1")]
    [InlineData("orders", "cn-north-1", "https://sqs.cn-north-1.amazonaws.com.cn/", "cn-north-1")]
    [InlineData("orders", "eusc-de-east-1", "https://sqs.eusc-de-east-1.amazonaws.eu/", "eusc-de-east-1")]
    [InlineData("orders", "us-iso-east-1", "https://sqs.us-iso-east-1.c2s.ic.gov/", "us-iso-east-1")]
    [InlineData("https://sqs.eusc-de-east-1.amazonaws.eu/123456789012/orders", null, "https://sqs.eusc-de-east-1.amazonaws.eu/", "eusc-de-east-1")]
    [InlineData("arn:aws:sqs:eu-west-3:123456789012:orders", null, "https://sqs.eu-west-3.amazonaws.com/", "eu-west-3")]
    [InlineData("http://sqs.eu-west-3.amazonaws.com/123456789012/orders", null, "https://sqs.eu-west-3.amazonaws.com/", "eu-west-3")]
    [InlineData("https://sqs-fips.us-east-2.amazonaws.com/123456789012/orders", "us-east-2", "https://sqs-fips.us-east-2.amazonaws.com/", "us-east-2")]
    [InlineData("https://queue.amazonaws.com/123456789012/orders", null, "https://sqs.us-east-1.amazonaws.com/", "us-east-1")]
    public void Resolve_WithoutEndpoint_CallsAws(string queue, string? region, string host, string signingRegion)
    {
        AwsEndpoint endpoint = Resolve(queue, new AwsOptions { Region = region });

        endpoint.ShouldBe(new AwsEndpoint(new Uri(host), signingRegion, IsCustom: false));
    }

    [Theory]
    [InlineData("orders")]
    [InlineData("http://sqs.us-east-1.localhost:4566/000000000000/orders")]
    [InlineData("https://sqs.eu-west-1.amazonaws.com/123456789012/orders")]
    public void Resolve_WithEndpoint_CallsIt(string queue)
    {
        AwsEndpoint endpoint = Resolve(queue, new AwsOptions { Endpoint = new Uri("http://127.0.0.1:4566"), Region = "eu-west-1" });

        endpoint.ShouldBe(new AwsEndpoint(new Uri("http://127.0.0.1:4566/"), "eu-west-1", IsCustom: true));
    }

    [Fact]
    public void Resolve_EnvironmentEndpoints_ServiceFirstAndOnlyWhenNotIgnored()
    {
        (string, string)[] both = [("AWS_ENDPOINT_URL", "http://localhost:1"), ("AWS_ENDPOINT_URL_SQS", "http://localhost:2")];
        AwsOptions options = new() { Region = "eu-west-1" };

        Resolve("orders", options, both).BaseUri.ShouldBe(new Uri("http://localhost:2"));
        Resolve("orders", options, both[0]).BaseUri.ShouldBe(new Uri("http://localhost:1"));
        Resolve("orders", options, [.. both, ("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "true")]).IsCustom.ShouldBeFalse();
        Should.Throw<StartupException>(() => Resolve("orders", options, ("AWS_ENDPOINT_URL_SQS", "http://queue.example.com"))).Message.ShouldContain(
            "AWS_ENDPOINT_URL_SQS must be https");
        Should.Throw<StartupException>(() => Resolve("orders", options, ("AWS_ENDPOINT_URL", "nonsense"))).Message.ShouldContain(
            "AWS_ENDPOINT_URL must be an absolute address");
    }

    [Fact]
    public void Resolve_RegionFromEnvironment_InOrder()
    {
        Resolve("orders", new AwsOptions(), ("AWS_DEFAULT_REGION", "eu-north-1")).Region.ShouldBe("eu-north-1");
        Resolve("orders", new AwsOptions(), ("AWS_DEFAULT_REGION", "eu-north-1"), ("AWS_REGION", "eu-south-1")).Region.ShouldBe("eu-south-1");
        Resolve("arn:aws:sqs:eu-west-1:123456789012:orders", new AwsOptions(), ("AWS_REGION", "eu-south-1")).Region.ShouldBe("eu-west-1");
        StartupException error = Should.Throw<StartupException>(() => Resolve("orders", new AwsOptions(), ("AWS_REGION", "EU (Ireland)\n")));
        error.Message.ShouldContain("Aws:Region");
        error.ExitCode.ShouldBe(ExitCodes.Configuration);
    }

    [Fact]
    public void Resolve_Contradictions_AreRefused()
    {
        Should.Throw<StartupException>(() => Resolve("https://sqs.eu-west-1.amazonaws.com/123456789012/orders", new AwsOptions { Region = "us-east-1" }))
            .Message.ShouldContain("The queue is in eu-west-1, but Aws:Region is us-east-1");
        Should.Throw<StartupException>(() => Resolve("http://localhost:4566/000000000000/orders", new AwsOptions { Region = "us-east-1" }))
            .Message.ShouldContain("set Aws:Endpoint or AWS_ENDPOINT_URL_SQS");
    }

    private static AwsEndpoint Resolve(string queue, AwsOptions options, params (string Name, string Value)[] environment) =>
        SqsEndpoint.Resolve(options, SqsQueueReference.Parse(queue).ShouldNotBeNull(), name => Array.Find(environment, v => v.Name == name).Value);
}
