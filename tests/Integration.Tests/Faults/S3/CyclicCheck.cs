namespace Integration.Tests.Faults.S3;

/// <summary>A reflected CRC of up to 64 bits, a byte at a time: slow, and independent of what the code under test uses.</summary>
internal sealed class CyclicCheck
{
    // Polynomials in reflected form, from the catalogue of parametrised CRC algorithms (reveng).
    public static readonly CyclicCheck Crc32 = new(0xEDB88320, 32);
    public static readonly CyclicCheck Crc32C = new(0x82F63B78, 32);
    public static readonly CyclicCheck Crc64Nvme = new(0x9A6C9329AC4BC9B5, 64);

    private readonly ulong[] _table = new ulong[256];
    private readonly int _bits;

    private CyclicCheck(ulong polynomial, int bits)
    {
        _bits = bits;
        for (int value = 0; value < _table.Length; value++)
        {
            ulong remainder = (ulong)value;
            for (int bit = 0; bit < 8; bit++)
            {
                remainder = (remainder & 1) == 0 ? remainder >> 1 : (remainder >> 1) ^ polynomial;
            }

            _table[value] = remainder;
        }
    }

    /// <returns>Most significant byte first, as S3's headers carry it.</returns>
    public byte[] Hash(ReadOnlySpan<byte> bytes)
    {
        ulong mask = ulong.MaxValue >> (64 - _bits);
        ulong remainder = mask;
        foreach (byte value in bytes)
        {
            remainder = (remainder >> 8) ^ _table[(byte)(remainder ^ value)];
        }

        remainder ^= mask;
        byte[] hash = new byte[_bits / 8];
        for (int index = hash.Length - 1; index >= 0; index--, remainder >>= 8)
        {
            hash[index] = (byte)remainder;
        }

        return hash;
    }
}
