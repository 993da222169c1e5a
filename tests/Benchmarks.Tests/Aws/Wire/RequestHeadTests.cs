using System.Text;
using Benchmarks.Aws.Wire;

namespace Benchmarks.Tests.Aws.Wire;

public sealed class RequestHeadTests
{
    [Fact]
    public void TryParse_PutRequest_ReadsItsFields()
    {
        RequestHead.TryParse("PUT /bucket/a/b HTTP/1.1\r\nHost: x\r\nIf-None-Match: *\r\nContent-Length: 12"u8, out RequestHead head).ShouldBeTrue();

        Encoding.ASCII.GetString(head.Method).ShouldBe("PUT");
        Encoding.ASCII.GetString(head.Path).ShouldBe("/bucket/a/b");
        (head.BodyLength, head.DecodedLength, head.IsChunked, head.ExpectsContinue, head.OnlyIfAbsent).ShouldBe((12, 12, false, false, true));
    }

    [Fact]
    public void TryParse_ChunksOfTheSdk_GivesBothLengths()
    {
        RequestHead.TryParse("PUT /b/k HTTP/1.1\r\nX-Amz-Content-SHA256: STREAMING-AWS4-HMAC-SHA256-PAYLOAD\r\nx-amz-decoded-content-length: 5\r\ncontent-length:90\r\nExpect: 100-continue"u8, out RequestHead head).ShouldBeTrue();

        (head.BodyLength, head.DecodedLength, head.IsChunked, head.ExpectsContinue).ShouldBe((90, 5, true, true));
    }

    [Fact]
    public void TryParse_ACallOfAwsJson_GivesItsTarget()
    {
        RequestHead.TryParse("POST / HTTP/1.1\r\nX-Amz-Target: AmazonSQS.ReceiveMessage\r\nContent-Length: 2"u8, out RequestHead head).ShouldBeTrue();

        Encoding.ASCII.GetString(head.Target).ShouldBe("AmazonSQS.ReceiveMessage");
    }

    [Theory]
    [InlineData("PUT /b/k HTTP/1.0\r\nContent-Length: 1")]
    [InlineData("PUT  HTTP/1.1\r\nContent-Length: 1")]
    [InlineData("PUT /b/k HTTP/1.1\r\nContent-Length: x")]
    [InlineData("PUT /b/k HTTP/1.1\r\nContent-Length: -1")]
    [InlineData("PUT /b/k HTTP/1.1\r\nContent-Length: 1\r\nnonsense")]
    [InlineData("PUT /b/k HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked")]
    [InlineData("PUT /b/k HTTP/1.1\r\nContent-Length: 9\r\nx-amz-content-sha256: STREAMING-UNSIGNED-PAYLOAD-TRAILER")]
    [InlineData("")]
    public void TryParse_OtherRequest_IsRefused(string head) => RequestHead.TryParse(Encoding.ASCII.GetBytes(head), out _).ShouldBeFalse();
}
