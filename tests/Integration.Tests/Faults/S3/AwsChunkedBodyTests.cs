using System.Text;

namespace Integration.Tests.Faults.S3;

public sealed class AwsChunkedBodyTests
{
    private const string Signature = ";chunk-signature=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    private const string Unsigned = "5\r\nhello\r\nA\r\n, world!\r\n\r\n0\r\nx-amz-checksum-crc32:AAAAAA==\r\nX-Other: b:c\r\n\r\n";
    private const string Signed = $"5{Signature}\r\nhello\r\n0{Signature}\r\n\r\n";

    [Fact]
    public void Decode_ChunksAndTrailers_GivesBoth()
    {
        AwsChunkedBody body = Decode(Unsigned, isSigned: false);

        body.Error.ShouldBeNull();
        Encoding.ASCII.GetString(body.Payload).ShouldBe("hello, world!\r\n");
        body.Trailers.ShouldBe(new Dictionary<string, string>(StringComparer.Ordinal) { ["x-amz-checksum-crc32"] = "AAAAAA==", ["x-other"] = "b:c" });
    }

    [Fact]
    public void Decode_SignedChunks_GivesThePayload() =>
        Encoding.ASCII.GetString(Decode(Signed, isSigned: true).Payload).ShouldBe("hello");

    [Theory]
    [InlineData(Unsigned, false)]
    [InlineData(Signed, true)]
    public void Decode_CutAnywhere_IsAnError(string whole, bool isSigned)
    {
        for (int length = 0; length < whole.Length; length++)
        {
            Decode(whole[..length], isSigned).Error.ShouldNotBeNull($"cut after {length} bytes");
        }
    }

    [Theory]
    [InlineData("5\r\nhello\r\n0\r\n\r\n", true)]
    [InlineData("5;chunk-signature=short\r\nhello\r\n0;chunk-signature=short\r\n\r\n", true)]
    [InlineData("4\r\nhello\r\n0\r\n\r\n", false)]
    [InlineData("6\r\nhello\r\n0\r\n\r\n", false)]
    [InlineData("x\r\nhello\r\n0\r\n\r\n", false)]
    [InlineData("-1\r\nhello\r\n0\r\n\r\n", false)]
    [InlineData("FFFFFFFF\r\nhello\r\n0\r\n\r\n", false)]
    [InlineData("7FFFFFFF\r\nhello\r\n0\r\n\r\n", false)]
    [InlineData("0\r\nno trailer\r\n\r\n", false)]
    [InlineData("0\r\n\r\nmore", false)]
    public void Decode_Malformed_IsAnError(string encoded, bool isSigned) => Decode(encoded, isSigned).Error.ShouldNotBeNull();

    private static AwsChunkedBody Decode(string encoded, bool isSigned) => AwsChunkedBody.Decode(Encoding.ASCII.GetBytes(encoded), isSigned);
}
