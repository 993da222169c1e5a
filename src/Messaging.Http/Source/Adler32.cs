namespace Quayside.Messaging.Http.Source;

/// <summary>The checksum of zlib's format (RFC 1950, section 8.2), of content in any number of pieces. Threads: one.</summary>
internal struct Adler32()
{
    private const uint Modulus = 65_521;

    // The largest number of bytes whose sums fit into 32 bits.
    private const int Run = 5_552;

    private uint _low = 1;
    private uint _high;

    /// <summary>The checksum of what was appended.</summary>
    public readonly uint Value => (_high << 16) | _low;

    public void Append(ReadOnlySpan<byte> content)
    {
        (uint low, uint high) = (_low, _high);
        while (!content.IsEmpty)
        {
            ReadOnlySpan<byte> run = content[..Math.Min(Run, content.Length)];
            foreach (byte value in run)
            {
                low += value;
                high += low;
            }

            low %= Modulus;
            high %= Modulus;
            content = content[run.Length..];
        }

        (_low, _high) = (low, high);
    }
}
