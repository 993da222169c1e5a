using System.IO.Compression;
using System.Text;
using Quayside.Messaging.CloudFront.Gzip;
using Quayside.Messaging.CloudFront.Rows;
using Tests.Shared.CloudFront;

namespace Messaging.Tests.CloudFront;

/// <summary>Whole objects are decompressed whole, and no other object counts as whole.</summary>
public sealed class GzipReaderTests
{
    private static readonly byte[] Text = AccessLog.Create(12);
    private static readonly byte[] One = AccessLog.Compress(Text);
    private static readonly byte[] Second = AccessLog.Compress("second\n"u8);
    private static readonly byte[] Two = [.. One, .. Second];

    // ID1 ID2 CM FLG MTIME XFL OS (RFC 1952): the bytes after the flags have no checksum and no effect here.
    private const int UnprotectedFrom = 4;
    private const int HeaderBytes = 10;
    private const int TrailerBytes = 8;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Read_EndsWithinAHeader_IsTruncatedWhateverTheHeaderAnnounces(bool isSecond)
    {
        const int HasExtraField = 4;
        int[] missing = [.. Enumerable.Range(0, 160), .. Enumerable.Range(65_500, 28)];
        byte[] before = isSecond ? One : [];
        for (byte flags = 0; flags < 32; flags++)
        {
            foreach (int length in missing.Select(bytes => 8 + bytes).Where(length => length == 8 || (flags & HasExtraField) != 0))
            {
                byte[] extra = [(byte)length, (byte)(length >> 8), 0, 0, 0, 0, 0, 0, 0, 0];
                byte[] cut = [.. before, 0x1F, 0x8B, 8, flags, 0, 0, 0, 0, 0, 3, .. (flags & HasExtraField) != 0 ? extra : []];

                (_, string? fault) = await GzipRun.ReadAsync(cut);

                fault.ShouldBe(LogFault.GzipTruncated, $"flags {flags}, {length} bytes of an extra field");
            }
        }
    }

    [Fact]
    public async Task Read_TwoMembersSplitAtEveryByte_GivesBoth()
    {
        byte[] expected = [.. Text, .. "second\n"u8];
        for (int place = 0; place <= Two.Length; place++)
        {
            (byte[] bytes, string? fault) = await GzipRun.ReadAsync(Pieces.SplitAt(Two, place), Two.Length);

            fault.ShouldBeNull($"split at {place}");
            bytes.ShouldBe(expected, $"split at {place}");
        }
    }

    [Theory]
    [InlineData(1)]
    [InlineData(7)]
    [InlineData(17)]
    [InlineData(int.MaxValue)]
    public async Task Read_TwoMembersTruncatedAtEveryByte_IsWholeAtTheEndsOfMembersOnly(int piece)
    {
        for (int length = 0; length < Two.Length; length++)
        {
            (byte[] bytes, string? fault) = await GzipRun.ReadAsync(Two[..length], piece);

            string? expected = length == 0 ? LogFault.NotGzip : length == One.Length ? null : LogFault.GzipTruncated;
            fault.ShouldBe(expected, $"{length} of {Two.Length} bytes");
            byte[] whole = [.. Text, .. "second\n"u8];
            whole.AsSpan().StartsWith(bytes).ShouldBeTrue($"{length} of {Two.Length} bytes: the bytes before the fault are right");
        }
    }

    [Fact]
    public async Task Read_LargeMemberTruncated_IsNeverWhole()
    {
        byte[] large = AccessLog.CreateCompressed(3_000);
        for (int length = 1; length < large.Length; length += 97)
        {
            (_, string? fault) = await GzipRun.ReadAsync(large[..length]);

            fault.ShouldBe(LogFault.GzipTruncated, $"{length} of {large.Length} bytes");
        }
    }

    [Fact]
    public async Task Read_EveryBitFlipped_IsWholeOnlyWithTheRightBytes()
    {
        for (int at = 0; at < One.Length; at++)
        {
            for (int bit = 0; bit < 8; bit++)
            {
                byte[] damaged = [.. One];
                damaged[at] ^= (byte)(1 << bit);

                (byte[] bytes, string? fault) = await GzipRun.ReadAsync(damaged);

                if (fault is null)
                {
                    bytes.ShouldBe(Text, $"byte {at}, bit {bit}");
                }

                if (at >= One.Length - TrailerBytes)
                {
                    fault.ShouldBe(LogFault.GzipCorrupt, $"byte {at}, bit {bit}: CRC-32 or length");
                }
                else if (at < 2)
                {
                    fault.ShouldBe(LogFault.NotGzip, $"byte {at}, bit {bit}");
                }
                else if (at is >= UnprotectedFrom and < HeaderBytes)
                {
                    fault.ShouldBeNull($"byte {at}, bit {bit}: time, flags for compressors, system");
                }
            }
        }
    }

    [Theory]
    [InlineData("\0")]
    [InlineData("\0\0\0\0\0\0\0\0\0\0\0\0")]
    [InlineData("junk")]
    [InlineData("\u001fjunk")]
    public async Task Read_BytesAfterTheLastMember_IsNotWhole(string junk)
    {
        byte[] behind = [.. One, .. Encoding.Latin1.GetBytes(junk)];
        for (int place = One.Length - 2; place <= behind.Length; place++)
        {
            (byte[] bytes, string? fault) = await GzipRun.ReadAsync(Pieces.SplitAt(behind, place), behind.Length);

            fault.ShouldBeOneOf(LogFault.GzipTrailingData, LogFault.GzipCorrupt);
            bytes.ShouldBe(Text);
        }
    }

    [Theory]
    [InlineData("")]
    [InlineData("#Version: 1.0\n#Fields: date time\n")]
    [InlineData("PK\u0003\u0004")]
    [InlineData("\u001f\u008c")]
    public async Task Read_OtherBytes_IsNotGzip(string text) =>
        (await GzipRun.ReadAsync(Encoding.Latin1.GetBytes(text))).Fault.ShouldBe(LogFault.NotGzip);

    [Fact]
    public async Task Read_EmptyMembers_AreWholeAndEmpty()
    {
        // Hand-written, because the runtime writes no member for no input.
        byte[] empty = Convert.FromHexString("1F8B08000000000000030300" + "00000000" + "00000000");

        (byte[] bytes, string? fault) = await GzipRun.ReadAsync([.. empty, .. empty, .. empty]);

        fault.ShouldBeNull();
        bytes.ShouldBeEmpty();
    }

    [Fact]
    public async Task Read_ContentThatEndsLikeTheSeal_IsReturnedWhole()
    {
        byte[] content = [.. "before "u8, .. GzipReader.Seal.Span];

        (byte[] bytes, string? fault) = await GzipRun.ReadAsync(AccessLog.Compress(content));

        fault.ShouldBeNull();
        bytes.ShouldBe(content);
    }

    [Fact]
    public async Task Read_ContentStoredUncompressed_IsReturnedWhole()
    {
        byte[] noise = new byte[300_000];
        new Random(7).NextBytes(noise);
        using MemoryStream compressed = new();
        using (GZipStream gzip = new(compressed, CompressionLevel.NoCompression))
        {
            gzip.Write(noise);
        }

        (byte[] bytes, string? fault) = await GzipRun.ReadAsync(compressed.ToArray());

        fault.ShouldBeNull();
        bytes.ShouldBe(noise);
    }

    [Fact]
    public async Task Read_SourceEndsBeforeItsLength_IsTheSourcesFault() =>
        await Should.ThrowAsync<EndOfStreamException>(() => GzipRun.ReadAsync(Pieces.Of(One[..50], 20), One.Length));

    [Fact]
    public async Task Read_SourceFails_PassesItOn()
    {
        IOException failure = new("reset");

        IOException thrown = await Should.ThrowAsync<IOException>(
            () => GzipRun.ReadAsync(new Pieces(One[..50], _ => 20, suspend: true) { Failure = failure }, One.Length));

        thrown.ShouldBeSameAs(failure);
    }

    [Fact]
    public async Task Read_Bomb_StopsAtTheRatio()
    {
        byte[] bomb = AccessLog.Compress(new byte[32 << 20]);

        (byte[] bytes, string? fault) = await GzipRun.ReadAsync(bomb);

        fault.ShouldBe(LogFault.RatioTooHigh);
        bytes.Length.ShouldBeInRange(1, (int)GzipLimits.RatioFloor);
    }

    // 120,000 equal rows: 323 to 1, and as much as deflate can.
    [Theory]
    [InlineData(58, 120_000)]
    [InlineData(1, 32 << 20)]
    [InlineData(258, 100_000)]
    public async Task Read_EqualRowsWithTheDefaultRatio_IsNoBomb(int rowBytes, int rows)
    {
        byte[] log = System.Text.Encoding.ASCII.GetBytes(string.Concat(Enumerable.Repeat(new string('r', rowBytes - 1) + "\n", rows)));
        GzipLimits limits = new(256L << 20, new Quayside.Messaging.CloudFront.CloudFrontOptions().MaxRatio);

        (byte[] bytes, string? fault) = await GzipRun.ReadAsync(Pieces.Of(AccessLog.Compress(log), int.MaxValue), limits: limits);

        fault.ShouldBeNull();
        bytes.Length.ShouldBe(log.Length);
    }

    [Fact]
    public async Task Read_SmallAndHighlyCompressible_IsNoBomb()
    {
        byte[] regular = new byte[GzipLimits.RatioFloor];

        (byte[] bytes, string? fault) = await GzipRun.ReadAsync(AccessLog.Compress(regular));

        fault.ShouldBeNull();
        bytes.Length.ShouldBe(regular.Length);
    }

    [Fact]
    public async Task Read_MoreThanAllowed_StopsThere()
    {
        GzipLimits limits = new(100_000, 1_032);
        byte[] noise = new byte[150_000];
        new Random(8).NextBytes(noise);

        (byte[] bytes, string? fault) = await GzipRun.ReadAsync(Pieces.Of(AccessLog.Compress(new byte[200_000]), 50), limits: limits);
        string? ofLargeObject = (await GzipRun.ReadAsync(Pieces.Of(AccessLog.Compress(noise), 50), noise.Length, limits)).Fault;

        fault.ShouldBe(LogFault.TooLarge);
        bytes.Length.ShouldBeLessThanOrEqualTo(100_000);
        ofLargeObject.ShouldBe(LogFault.TooLarge);
    }
}
