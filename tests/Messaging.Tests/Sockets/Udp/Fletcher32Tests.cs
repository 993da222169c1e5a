using System.Text;
using Quayside.Messaging.Sockets.Udp;

namespace Messaging.Tests.Sockets.Udp;

public sealed class Fletcher32Tests
{
    // The published examples of the checksum over little-endian words, odd lengths padded with a zero byte
    // (https://en.wikipedia.org/wiki/Fletcher%27s_checksum#Test_vectors).
    [Theory]
    [InlineData("", 0x00000000u)]
    [InlineData("a", 0x00610061u)]
    [InlineData("abcde", 0xF04FC729u)]
    [InlineData("abcdef", 0x56502D2Au)]
    [InlineData("abcdefgh", 0xEBE19591u)]
    public void Compute_KnownVector_IsTheChecksum(string text, uint expected) =>
        Fletcher32.Compute(Encoding.ASCII.GetBytes(text)).ShouldBe(expected);

    [Fact]
    public void Compute_EveryLength_IsWhatTheDefinitionGives()
    {
        Random random = new(20_261_121);
        byte[] data = new byte[2_100];
        random.NextBytes(data);
        for (int length = 0; length <= data.Length; length++)
        {
            Fletcher32.Compute(data.AsSpan(0, length)).ShouldBe(ByDefinition(data.AsSpan(0, length)), $"{length} bytes");
        }
    }

    [Theory]
    [InlineData(4_096)]
    [InlineData(4_097)]
    [InlineData(65_507)]
    [InlineData(1 << 20)]
    public void Compute_LargestWords_DoNotOverflow(int length)
    {
        byte[] data = new byte[length];
        data.AsSpan().Fill(0xFF);
        data[length / 2] = 0xFE;

        Fletcher32.Compute(data).ShouldBe(ByDefinition(data));
    }

    [Fact]
    public void Compute_UnalignedStart_IsTheSame()
    {
        byte[] data = [.. Enumerable.Range(0, 300).Select(i => (byte)(i * 7))];
        byte[] moved = [0, .. data];

        Fletcher32.Compute(moved.AsSpan(1)).ShouldBe(Fletcher32.Compute(data));
    }

    [Fact]
    public void TryVerify_AnyBitChanged_IsFalse()
    {
        byte[] datagram = WithTrailer("{\"MessageId\":\"0123456789\"}"u8.ToArray());
        Fletcher32.TryVerify(datagram, out ReadOnlySpan<byte> message).ShouldBeTrue();
        message.SequenceEqual("{\"MessageId\":\"0123456789\"}"u8).ShouldBeTrue();
        for (int bit = 0; bit < datagram.Length * 8; bit++)
        {
            datagram[bit / 8] ^= (byte)(1 << (bit % 8));
            Fletcher32.TryVerify(datagram, out _).ShouldBeFalse($"bit {bit}");
            datagram[bit / 8] ^= (byte)(1 << (bit % 8));
        }
    }

    [Fact]
    public void TryVerify_TrailerIsBigEndian() =>
        Fletcher32.TryVerify([.. "abcde"u8, 0xF0, 0x4F, 0xC7, 0x29], out _).ShouldBeTrue();

    [Theory]
    [InlineData(0)]
    [InlineData(3)]
    public void TryVerify_NoRoomForATrailer_IsFalse(int length) => Fletcher32.TryVerify(new byte[length], out _).ShouldBeFalse();

    [Fact]
    public void TryVerify_TrailerAlone_IsAnEmptyMessage()
    {
        Fletcher32.TryVerify(new byte[4], out ReadOnlySpan<byte> message).ShouldBeTrue();
        message.Length.ShouldBe(0);
    }

    public static byte[] WithTrailer(byte[] message)
    {
        byte[] datagram = [.. message, 0, 0, 0, 0];
        Fletcher32.WriteTrailer(message, datagram.AsSpan(message.Length));
        return datagram;
    }

    private static uint ByDefinition(ReadOnlySpan<byte> data)
    {
        uint sum1 = 0;
        uint sum2 = 0;
        for (int i = 0; i < data.Length; i += 2)
        {
            uint word = data[i] | (i + 1 < data.Length ? (uint)data[i + 1] << 8 : 0);
            sum1 = (sum1 + word) % 65_535;
            sum2 = (sum2 + sum1) % 65_535;
        }

        return (sum2 << 16) | sum1;
    }
}
