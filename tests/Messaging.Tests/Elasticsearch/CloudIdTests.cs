using System.Text;
using Quayside.Messaging.Elasticsearch;

namespace Messaging.Tests.Elasticsearch;

/// <summary>Cloud ids as Elastic Cloud shows them.</summary>
public sealed class CloudIdTests
{
    [Theory]
    [InlineData("eu-west-1.aws.example$abc$def", "https://abc.eu-west-1.aws.example/")]
    [InlineData("eu-west-1.aws.example$abc", "https://abc.eu-west-1.aws.example/")]
    [InlineData("cloud.example:9243$abc$def", "https://abc.cloud.example:9243/")]
    [InlineData("cloud.example:9243$abc:9200$def", "https://abc.cloud.example:9200/")]
    public void TryParse_CloudId_GivesTheAddress(string content, string address)
    {
        CloudId.TryParse(Of(content), out Uri? found).ShouldBeTrue();

        found!.AbsoluteUri.ShouldBe(address);
    }

    [Theory]
    [InlineData("host")]
    [InlineData("$abc")]
    [InlineData("host$")]
    [InlineData("host/path$abc")]
    [InlineData("host:port$abc")]
    [InlineData("host$user@abc")]
    public void TryParse_ContentWithoutAnAddress_Fails(string content) => CloudId.TryParse(Of(content), out _).ShouldBeFalse();

    [Theory]
    [InlineData("")]
    [InlineData("name")]
    [InlineData("name:")]
    [InlineData("name:***")]
    public void TryParse_OtherText_Fails(string text) => CloudId.TryParse(text, out _).ShouldBeFalse();

    private static string Of(string content) => $"name:{Convert.ToBase64String(Encoding.UTF8.GetBytes(content))}";
}
