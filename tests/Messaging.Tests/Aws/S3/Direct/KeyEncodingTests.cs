using System.Text;
using Messaging.Tests.Archive.ObjectKeys;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Aws.S3.Sink.Direct;

namespace Messaging.Tests.Aws.S3.Direct;

public sealed class KeyEncodingTests
{
    [Fact]
    public void Encode_EveryByte_IsPlainOrThreeCharacters()
    {
        const string Plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
        for (int value = 0; value < 256; value++)
        {
            Encode([(byte)value]).ShouldBe(Plain.Contains((char)value) ? $"{(char)value}" : $"%{value:X2}");
        }
    }

    [Fact]
    public void Of_NaughtyKeys_ReachTheWireUnchanged()
    {
        BucketAddress address = BucketAddress.Create("archive", new S3Endpoint(new Uri("http://127.0.0.1:9000"), "eu-west-1", PathStyle: true));
        foreach (string key in NaughtyStrings.All.Where(key => Encoding.UTF8.GetByteCount(key) <= 1_024))
        {
            byte[] utf8 = Encoding.UTF8.GetBytes(key);

            // The HTTP client sends PathAndQuery.
            address.Of(utf8).PathAndQuery.ShouldBe($"/archive/{Encode(utf8)}");
        }
    }

    private static string Encode(byte[] key)
    {
        char[] target = new char[BucketAddress.EncodedLength(key)];
        BucketAddress.Encode(key, target);
        return new string(target);
    }
}
