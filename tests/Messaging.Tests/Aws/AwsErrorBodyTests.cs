using System.Text;
using Quayside.Messaging.Aws;

namespace Messaging.Tests.Aws;

public sealed class AwsErrorBodyTests
{
    private const string Document =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>AuthorizationHeaderMalformed</Code><Message>the region &#39;x&#39; is wrong</Message>"
        + "<Region>eu-west-1</Region><Nested><Code>no</Code></Nested><RequestId>4442587FB7D0A2F9</RequestId><HostId>h</HostId></Error>";

    private static readonly AwsErrorBody Whole = new("AuthorizationHeaderMalformed", "the region 'x' is wrong", "4442587FB7D0A2F9", "eu-west-1");

    [Fact]
    public void Read_WholeDocument_GivesItsParts() => AwsErrorBody.Read(Encoding.UTF8.GetBytes(Document)).ShouldBe(Whole);

    [Fact]
    public void Read_CutAnywhere_GivesWhatWasWholeAndNeverThrows()
    {
        byte[] bytes = Encoding.UTF8.GetBytes(Document);
        for (int length = 0; length <= bytes.Length; length++)
        {
            AwsErrorBody document = AwsErrorBody.Read(bytes[..length]);

            // Nothing from an element that is cut, and everything from one that is whole.
            string cut = Document[..length];
            document.Code.ShouldBe(cut.Contains("</Code>", StringComparison.Ordinal) ? Whole.Code : null, cut);
            document.Message.ShouldBe(cut.Contains("</Message>", StringComparison.Ordinal) ? Whole.Message : null, cut);
            document.RequestId.ShouldBe(cut.Contains("</RequestId>", StringComparison.Ordinal) ? Whole.RequestId : null, cut);
            document.Region.ShouldBe(cut.Contains("</Region>", StringComparison.Ordinal) ? Whole.Region : null, cut);
        }
    }

    [Theory]
    [InlineData("")]
    [InlineData("\0")]
    [InlineData("<html><body>502</body></html>")]
    [InlineData("<Errors><Code>x</Code></Errors>")]
    [InlineData("<Error/>")]
    [InlineData("<ErrorResponse/>")]
    [InlineData("<ErrorResponse><Code>x</Code></ErrorResponse>")]
    [InlineData("<Error>text</Error>")]
    [InlineData("{\"Code\":\"x\"}")]
    [InlineData("<?xml version=\"1.0\" encoding=\"no-such\"?><Error><Code>x</Code></Error>")]
    [InlineData("<!DOCTYPE Error SYSTEM \"file:///etc/passwd\"><Error><Code>x</Code></Error>")]
    [InlineData("<!DOCTYPE Error [<!ENTITY e \"x\">]><Error><Code>&e;</Code></Error>")]
    [InlineData("<Error><Code><b>x</b></Code></Error>")]
    public void Read_AnythingElse_HasNoCode(string text) => AwsErrorBody.Read(Encoding.Latin1.GetBytes(text)).Code.ShouldBeNull();

    [Fact]
    public void Read_QueryProtocol_GivesCodeAndMessage() => AwsErrorBody.Read(
        """
        <?xml version="1.0"?>
        <ErrorResponse xmlns="http://queue.amazonaws.com/doc/2012-11-05/"><Error><Type>Sender</Type><Code>InvalidAction</Code><Message>The action is not valid.</Message><Detail/></Error><RequestId>00000000</RequestId></ErrorResponse>
        """u8).ShouldBe(new AwsErrorBody("InvalidAction", "The action is not valid."));

    [Fact]
    public void Read_NestedWithoutEnd_ReturnsNothing() =>
        AwsErrorBody.Read(Encoding.UTF8.GetBytes("<Error>" + string.Concat(Enumerable.Repeat("<a>", 20_000)))).ShouldBe(default);
}
