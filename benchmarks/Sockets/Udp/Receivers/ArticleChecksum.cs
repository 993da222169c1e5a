using System.Text;

namespace Benchmarks.Sockets.Udp.Receivers;

/// <summary>
/// The article's checksum, Fletcher's sums over characters, reduced at each step. The article compares it with a constant; here it is
/// compared with the value of the datagram that was sent, as the source compares its own with the trailer.
/// </summary>
/// <param name="bytes">Bytes of a datagram.</param>
internal sealed class ArticleChecksum(int bytes)
{
    private readonly int[] _expected = [.. Enumerable.Range(0, DatagramContent.Count).Select(index => Expected(index, bytes))];

    /// <summary>Whether a datagram's checksum equals that of the datagram sent.</summary>
    public bool IsRight(ReadOnlySpan<char> datagram)
    {
        int index = datagram.IsEmpty ? -1 : datagram[0] - DatagramContent.First;
        return (uint)index < (uint)_expected.Length && Compute(datagram) == _expected[index];
    }

    private static int Compute(ReadOnlySpan<char> data)
    {
        int sum1 = 0;
        int sum2 = 0;
        foreach (char c in data)
        {
            sum1 = (sum1 + c) % 0xFFFF;
            sum2 = (sum2 + sum1) % 0xFFFF;
        }

        return (sum2 << 16) | sum1;
    }

    private static int Expected(int index, int bytes)
    {
        byte[] datagram = new byte[bytes];
        DatagramContent.Write(datagram, index);
        return Compute(Encoding.UTF8.GetString(datagram));
    }
}
