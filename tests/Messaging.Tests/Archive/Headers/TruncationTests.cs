using System.Text;
using Quayside.Messaging.Archive.Headers;

namespace Messaging.Tests.Archive.Headers;

/// <summary>Every body cut at every byte: never an exception, and never a success for an incomplete body.</summary>
public sealed class TruncationTests
{
    private static readonly string[] Bodies =
    [
        "{\"EventDateUtc\":\"2019-04-01T10:00:00Z\",\"Product\":\"My "
            + "Product\",\"MessageId\":\"0f8fad5b-d9cb-469f-a165-70867728950e\",\"x\":{\"a\":[1,-2.5e+3,true,false,null,{}],\"b\":\"c\"}}",
        "\uFEFF { \"Product\" : \"\\u0041\\ud83d\\ude00\\n\\\\\" ,\r\n\t\"Mess\\u0061geId\" : \"caf\u00E9 \u20AC \U0001F600\" , "
            + "\"y\" : [ [ ] , { } , \"\" , 0.0E-0 ] }",
        "{\"x\":\"" + new string('x', 40) + "\\\"" + new string('\u00E9', 20) + "\",\"MessageId\":null,\"Product\":\"\",\"EventDateUtc\":null}",
        "[[1,2,{\"a\":\"b\"}]]",
        "{}",
    ];

    [Fact]
    public void TryRead_CutAtEveryByte_NeverThrowsAndNeverSucceeds()
    {
        foreach (byte[] body in Bodies.Select(Encoding.UTF8.GetBytes))
        {
            for (int length = 0; length < body.Length; length++)
            {
                byte[] cut = body[..length];
                BodyRun.Read(cut).Code.ShouldNotBe("");
                BodyRun.Read(cut, BodyValidation.HeaderOnly);
            }
        }
    }

    [Fact]
    public void TryRead_CutInHeaderOnly_SucceedsOnlyWithTheWholeHeader()
    {
        byte[] body = Encoding.UTF8.GetBytes(Bodies[0]);
        int headerEnd = Bodies[0].IndexOf(",\"x\"", StringComparison.Ordinal);
        for (int length = 0; length <= body.Length; length++)
        {
            (BodyRun.Read(body[..length], BodyValidation.HeaderOnly).Code == "").ShouldBe(length >= headerEnd);
        }
    }

    [Fact]
    public void TryRead_StartMissing_NeverThrowsAndNeverSucceeds()
    {
        foreach (byte[] body in Bodies.Select(Encoding.UTF8.GetBytes))
        {
            for (int start = 1; start < body.Length; start++)
            {
                foreach (BodyValidation rule in Enum.GetValues<BodyValidation>())
                {
                    BodyResult result = BodyRun.Read(body[start..], rule);
                    (result.Code == "" && body[start..].AsSpan().TrimStart(" \uFEFF"u8)[0] != '{').ShouldBeFalse();
                }
            }
        }
    }
}
