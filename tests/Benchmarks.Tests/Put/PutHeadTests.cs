using System.Text;
using Benchmarks.Put;

namespace Benchmarks.Tests.Put;

public sealed class PutHeadTests
{
    [Fact]
    public void TryParse_APut_GivesItsLength()
    {
        PutHead head = Parse("PUT /bucket/a/b HTTP/1.1\r\nHost: x\r\nContent-Length: 12").ShouldNotBeNull();

        head.ShouldBe(new PutHead(12, 12, IsChunked: false, ExpectsContinue: false));
    }

    [Fact]
    public void TryParse_ChunksOfTheSdk_GivesBothLengths()
    {
        PutHead head = Parse("PUT /b/k HTTP/1.1\r\nX-Amz-Content-SHA256: STREAMING-AWS4-HMAC-SHA256-PAYLOAD\r\nx-amz-decoded-content-length: 5\r\ncontent-length:90\r\nExpect: 100-continue").ShouldNotBeNull();

        head.ShouldBe(new PutHead(90, 5, IsChunked: true, ExpectsContinue: true));
    }

    [Theory]
    [InlineData("GET /b/k HTTP/1.1\r\nContent-Length: 1")]
    [InlineData("PUT /b HTTP/1.1\r\nContent-Length: 1")]
    [InlineData("PUT /b/k HTTP/1.0\r\nContent-Length: 1")]
    [InlineData("PUT /b/k HTTP/1.1")]
    [InlineData("PUT /b/k HTTP/1.1\r\nContent-Length: x")]
    [InlineData("PUT /b/k HTTP/1.1\r\nContent-Length: -1")]
    [InlineData("PUT /b/k HTTP/1.1\r\nContent-Length: 1\r\nnonsense")]
    [InlineData("PUT /b/k HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked")]
    [InlineData("PUT /b/k HTTP/1.1\r\nContent-Length: 9\r\nx-amz-content-sha256: STREAMING-UNSIGNED-PAYLOAD-TRAILER")]
    [InlineData("")]
    public void TryParse_SomethingElse_Refuses(string head) => Parse(head).ShouldBeNull();

    private static PutHead? Parse(string head) => PutHead.TryParse(Encoding.ASCII.GetBytes(head), out PutHead parsed) ? parsed : null;
}
