using System.Text;
using Benchmarks.Aws.Wire;

namespace Benchmarks.Tests.Aws.Wire;

public sealed class AwsChunksTests
{
    [Theory]
    [InlineData("5;chunk-signature=ab\r\nhello\r\n0;chunk-signature=cd\r\n\r\n", "hello")]
    [InlineData("3\r\nabc\r\nA\r\n0123456789\r\n0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n", "abc0123456789")]
    [InlineData("0\r\n\r\n", "")]
    public void Decode_Chunks_GivesTheirPayload(string encoded, string payload)
    {
        byte[] body = Encoding.ASCII.GetBytes(encoded);

        int length = AwsChunks.Decode(body);

        Encoding.ASCII.GetString(body, 0, length).ShouldBe(payload);
    }

    [Theory]
    [InlineData("")]
    [InlineData("5\r\nhel")]
    [InlineData("5\r\nhello0\r\n\r\n")]
    [InlineData("x\r\nhello\r\n0\r\n\r\n")]
    [InlineData("5 \r\nhello\r\n0\r\n\r\n")]
    [InlineData("5\r\nhello\r\n")]
    [InlineData("7fffffff\r\nhello\r\n0\r\n\r\n")]
    [InlineData("ffffffff\r\nhello\r\n0\r\n\r\n")]
    public void Decode_MalformedChunks_ReturnsMinusOne(string encoded) => AwsChunks.Decode(Encoding.ASCII.GetBytes(encoded)).ShouldBe(-1);
}
