using System.Globalization;
using System.Text;
using Messaging.Tests.Archive.ObjectKeys;
using Quayside.Messaging.Archive.Headers;

namespace Messaging.Tests.Archive.Headers;

/// <summary>The reader against <see cref="ReferenceReader"/>. <c>proof fuzz --target key</c> compares them on mutated bodies.</summary>
public sealed class ArchiveHeaderReaderExhaustiveTests
{
    [Fact]
    public void TryRead_OneBodyWithEveryByteReplaced_EqualsTheReference()
    {
        byte[] body = Encoding.UTF8.GetBytes("{\"Product\":\"p\\n\\u0041\",\"x\":[1.5e-2,null,{\"a\":\"b\"}],\"EventDateUtc\":\"2019-04-01\"}");
        for (int at = 0; at < body.Length; at++)
        {
            byte kept = body[at];
            for (int b = 0; b < 256; b++)
            {
                body[at] = (byte)b;
                ShouldEqualReference(body);
            }

            body[at] = kept;
        }
    }

    [Fact]
    public void TryRead_AllShortTexts_EqualTheReference()
    {
        const string Letters = "{}[]\",:01-\\n ";
        for (int length = 0; length <= 4; length++)
        {
            byte[] text = new byte[length];
            for (long number = 0; number < Math.Pow(Letters.Length, length); number++)
            {
                long rest = number;
                for (int i = 0; i < length; i++, rest /= Letters.Length)
                {
                    text[i] = (byte)Letters[(int)(rest % Letters.Length)];
                }

                ShouldAgree([.. text]);
            }
        }

        static void ShouldAgree(byte[] text)
        {
            bool read = new ArchiveHeaderReader(BodyRun.Properties).TryRead(text, new ArchiveHeader(), out Poison poison);
            bool readInside = new ArchiveHeaderReader(BodyRun.Properties).TryRead((byte[])[.. "{\"x\":"u8, .. text, .. "}"u8], new ArchiveHeader(), out _);
            read.ShouldBe(ReferenceReader.Read(text) is not null, poison.ToString());
            readInside.ShouldBe(ReferenceReader.Read([.. "{\"x\":"u8, .. text, .. "}"u8]) is not null);
        }
    }

    private static void ShouldEqualReference(byte[] body)
    {
        BodyResult result = BodyRun.Read(body);
        Dictionary<string, string?>? expected = ReferenceReader.Read(body);
        (result.Code == "").ShouldBe(expected is not null, $"{result.Poison}: {Encoding.UTF8.GetString(body)}");
        if (expected is null)
        {
            return;
        }

        result.Product.ShouldBe(expected.GetValueOrDefault("Product") ?? "");
        result.MessageId.ShouldBe(expected.GetValueOrDefault("MessageId") ?? "");
        Show(result.Date).ShouldBe(expected.GetValueOrDefault("EventDateUtc") is { Length: > 0 } date ? Show(ReferenceKey.Date(date)!.Value) : "");

        // HeaderOnly must accept every body that Full accepts, with the same values.
        BodyRun.Read(body, BodyValidation.HeaderOnly).ShouldBe(result);
    }

    private static string Show(HeaderDate date) =>
        date.HasValue ? $"{date.Year:0000}-{date.Month:00}-{date.Day:00} {date.Hour:00}:{date.Minute:00}:{date.Second:00}" : "";

    private static string Show(DateTime date) => date.ToString("yyyy-MM-dd HH:mm:ss", CultureInfo.InvariantCulture);
}
