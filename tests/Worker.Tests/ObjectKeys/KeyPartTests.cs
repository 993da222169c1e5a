using System.Text;
using Worker.ObjectKeys;

namespace Worker.Tests.ObjectKeys;

public sealed class KeyPartTests
{
    [Theory]
    [InlineData("", "unknown")]
    [InlineData(" ", "_")]
    [InlineData("   ", "___")]
    [InlineData(" a ", "_a_")]
    [InlineData("My Product", "my_product")]
    [InlineData("A_b 9", "a_b_9")]
    [InlineData("a\tb", "invalid")]
    [InlineData("a-b", "invalid")]
    [InlineData("a.b", "invalid")]
    [InlineData("a/b", "invalid")]
    [InlineData("caf\u00E9", "invalid")]
    [InlineData("unknown", "unknown")]
    public void Write_Value_FollowsTheRuleOfTheSeed(string value, string expected) => Write(Encoding.UTF8.GetBytes(value)).ShouldBe(expected);

    [Fact]
    public void Write_EveryByteAlone_IsKeptLoweredOrInvalid()
    {
        for (int b = 0; b < 256; b++)
        {
            string expected = b switch
            {
                ' ' => "_",
                '_' or (>= '0' and <= '9') or (>= 'a' and <= 'z') => ((char)b).ToString(),
                >= 'A' and <= 'Z' => ((char)(b + 32)).ToString(),
                _ => "invalid",
            };
            Write([(byte)b]).ShouldBe(expected);
            Write([(byte)'a', (byte)b, (byte)'z']).ShouldBe(expected == "invalid" ? "invalid" : "a" + expected + "z");
        }
    }

    [Theory]
    [InlineData(127, false)]
    [InlineData(128, false)]
    [InlineData(129, true)]
    [InlineData(2_000, true)]
    public void Write_LongValue_IsInvalidAboveTheLimit(int length, bool invalid) =>
        Write(Encoding.UTF8.GetBytes(new string('L', length))).ShouldBe(invalid ? "invalid" : new string('l', length));

    private static string Write(byte[] value)
    {
        byte[] destination = new byte[KeyPart.MaxBytes];
        return Encoding.Latin1.GetString(destination, 0, KeyPart.Write(value, destination));
    }
}
