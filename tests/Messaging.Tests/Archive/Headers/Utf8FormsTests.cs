using Quayside.Messaging.Archive.Headers;

namespace Messaging.Tests.Archive.Headers;

/// <summary>Every kind of invalid UTF-8 (RFC 3629), and the valid sequences next to each.</summary>
public sealed class Utf8FormsTests
{
    [Fact]
    public void TryRead_EveryBrokenSequence_IsInvalidUtf8AtItsPlace()
    {
        int count = 0;
        foreach (byte[] sequence in Broken())
        {
            count++;
            byte[] unused = [.. "{\"x\":\"ab"u8, .. sequence, .. "\"}"u8];
            BodyRun.Read(unused).Poison.ToString().ShouldBe("invalid-utf8 at byte 8", Convert.ToHexString(sequence));
            BodyRun.Read(unused, BodyValidation.HeaderOnly).Code.ShouldBe("");

            byte[] used = [.. "{\"Product\":\""u8, .. sequence, .. "\"}"u8];
            BodyRun.Read(used).Code.ShouldBe("invalid-utf8");
            BodyRun.Read(used, BodyValidation.HeaderOnly).Poison.ToString().ShouldBe("invalid-utf8 at byte 11, property \"Product\"");

            byte[] name = [.. "{\""u8, .. sequence, .. "\":1}"u8];
            BodyRun.Read(name).Code.ShouldBe("invalid-utf8");
            byte[] outside = [.. "{}"u8, .. sequence];
            BodyRun.Read(outside).Code.ShouldBe("invalid-utf8");
        }

        count.ShouldBeGreaterThan(500);
    }

    [Fact]
    public void TryRead_EveryValidCharacterAtARangeEnd_IsKept()
    {
        foreach (byte[] sequence in new byte[][] { [0x7F], [0xC2, 0x80], [0xDF, 0xBF], [0xE0, 0xA0, 0x80], [0xED, 0x9F, 0xBF], [0xEE, 0x80, 0x80],
            [0xEF, 0xBF, 0xBF], [0xF0, 0x90, 0x80, 0x80], [0xF4, 0x8F, 0xBF, 0xBF] })
        {
            byte[] body = [.. "{\"Product\":\""u8, .. sequence, .. "\"}"u8];
            BodyRun.Read(body).Product.ShouldBe(System.Text.Encoding.UTF8.GetString(sequence));
        }
    }

    private static IEnumerable<byte[]> Broken()
    {
        // Continuation bytes without a lead byte, and bytes that never occur.
        for (int b = 0x80; b <= 0xFF; b++)
        {
            if (b is < 0xC2 or > 0xF4)
            {
                yield return [(byte)b];
            }
        }

        // Overlong: characters of each length with more bytes than needed, at both ends of each range.
        foreach (int rune in new[] { 0x00, 0x22, 0x2E, 0x2F, 0x5C, 0x7F })
        {
            yield return [(byte)(0xC0 | (rune >> 6)), Tail(rune, 0)];
        }

        foreach (int rune in new[] { 0x00, 0x2E, 0x2F, 0x7F, 0x80, 0x7FF })
        {
            yield return [(byte)(0xE0 | (rune >> 12)), Tail(rune, 6), Tail(rune, 0)];
        }

        foreach (int rune in new[] { 0x00, 0x2E, 0x2F, 0x7FF, 0x800, 0xFFFF })
        {
            yield return [(byte)(0xF0 | (rune >> 18)), Tail(rune, 12), Tail(rune, 6), Tail(rune, 0)];
            yield return [0xF8, 0x80, Tail(rune, 12), Tail(rune, 6), Tail(rune, 0)];
            yield return [0xFC, 0x80, 0x80, Tail(rune, 12), Tail(rune, 6), Tail(rune, 0)];
        }

        // Surrogates as characters, alone and in pairs (CESU-8), and code points above U+10FFFF.
        for (int unit = 0xD800; unit <= 0xDFFF; unit += 0x1F)
        {
            yield return [0xED, Tail(unit, 6), Tail(unit, 0)];
        }

        yield return [0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80];
        foreach (int rune in new[] { 0x110000, 0x13FFFF, 0x1FFFFF })
        {
            yield return [(byte)(0xF0 | (rune >> 18)), Tail(rune, 12), Tail(rune, 6), Tail(rune, 0)];
        }

        // Every lead byte, cut after each of its bytes, and followed by a byte that is no continuation.
        for (int lead = 0xC2; lead <= 0xF4; lead++)
        {
            int length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
            byte second = lead is 0xE0 ? (byte)0xA0 : lead is 0xF0 ? (byte)0x90 : (byte)0x80;
            for (int cut = 1; cut < length; cut++)
            {
                byte[] sequence = [(byte)lead, second, 0x80, 0x80];
                yield return sequence[..cut];
                foreach (byte wrong in new byte[] { 0x20, 0x41, 0x7F, 0xC2, 0xFF })
                {
                    yield return [.. sequence[..cut], wrong];
                }
            }
        }
    }

    private static byte Tail(int rune, int shift) => (byte)(0x80 | ((rune >> shift) & 0x3F));
}
