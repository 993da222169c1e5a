using System.Text;
using FsCheck;
using FsCheck.Fluent;
using Quayside.Messaging.Archive.ObjectKeys;

namespace Messaging.Tests.Archive.ObjectKeys;

public sealed class KeyPartIdTests
{
    [Theory]
    [InlineData("0f8fad5b-d9cb-469f-a165-70867728950e")]
    [InlineData("01arz3ndektsv4rrffq69g5fav")]
    [InlineData("0")]
    [InlineData("1234567890123456789")]
    [InlineData("order_17.v2-final")]
    [InlineData("a..b")]
    public void Write_OrdinaryId_IsUnchanged(string id) => Write(id).ShouldBe(id);

    [Theory]
    [InlineData(".", "=2e")]
    [InlineData("..", "=2e=2e")]
    [InlineData("...", "=2e.=2e")]
    [InlineData(".a.", "=2ea=2e")]
    [InlineData("A", "=41")]
    [InlineData("=41", "=3d41")]
    [InlineData("==", "=3d=3d")]
    [InlineData("a b", "a=20b")]
    [InlineData("a/../b", "a=2f..=2fb")]
    [InlineData("a\\b", "a=5cb")]
    [InlineData("%2e%2E", "=252e=252=45")]
    [InlineData("\0", "=00")]
    [InlineData("\u00E9", "=c3=a9")]
    [InlineData("\U0001F600", "=f0=9f=98=80")]
    public void Write_AnythingElse_IsEscaped(string id, string expected) => Write(id).ShouldBe(expected);

    [Fact]
    public void Write_AroundTheLimit_TurnsIntoAHash()
    {
        Write(new string('a', 128)).ShouldBe(new string('a', 128));
        Write(new string('a', 129)).ShouldBe("==" + "c12cb024a2e5551cca0e08fce8f1c5e314555cc3fef6329ee994a3db752166ae");
        Write(new string('A', 42)).Length.ShouldBe(126);
        Write(new string('A', 43)).ShouldStartWith("==");
        Write("==" + new string('a', 64)).ShouldBe("=3d=3d" + new string('a', 64));
    }

    [Fact]
    public void Write_EveryIdOfUpToTwoBytes_GivesAnEncodingOfItsOwn()
    {
        var seen = new HashSet<string>(StringComparer.Ordinal);
        for (int first = 0; first < 256; first++)
        {
            seen.Add(Write([(byte)first])).ShouldBeTrue();
            for (int second = 0; second < 256; second++)
            {
                seen.Add(Write([(byte)first, (byte)second])).ShouldBeTrue();
            }
        }
    }

    [Fact]
    public void Write_NaughtyIds_EqualTheReferenceAndDecodeToThemselves()
    {
        var seen = new HashSet<string>(StringComparer.Ordinal);
        foreach (string id in NaughtyStrings.All.Where(s => s.Length > 0))
        {
            byte[] bytes = Encoding.UTF8.GetBytes(id);
            string encoded = Write(bytes);
            encoded.ShouldBe(ReferenceKey.Id(bytes));
            encoded.ShouldBeConfined();
            seen.Add(encoded).ShouldBeTrue(id);
            if (!encoded.StartsWith("==", StringComparison.Ordinal))
            {
                ReferenceKey.DecodeId(encoded).ShouldBe(bytes);
            }
        }
    }

    [Fact]
    public void Write_TwoRandomIds_CollideOnlyWhenEqual() => Prop.ForAll(Gen.Two(Ids()).ToArbitrary(), pair =>
        Write(pair.Item1) == Write(pair.Item2) == pair.Item1.AsSpan().SequenceEqual(pair.Item2)).Check(Config.QuickThrowOnFailure.WithMaxTest(1_000));

    // Few letters, so that many ids differ only in case, dots and escapes.
    private static Gen<byte[]> Ids()
    {
        Gen<byte> close = Gen.Elements("aA.=4126e/ "u8.ToArray());
        Gen<byte> any = Gen.Choose(0, 255).Select(b => (byte)b);
        return Gen.OneOf(
            close.NonEmptyListOf().Select(l => l.Take(4).ToArray()),
            close.NonEmptyListOf().Select(l => l.ToArray()),
            any.NonEmptyListOf().Select(l => l.ToArray()),
            Gen.Choose(120, 132).SelectMany(length => close.ArrayOf(length)));
    }

    private static string Write(string id) => Write(Encoding.UTF8.GetBytes(id));

    private static string Write(byte[] id)
    {
        byte[] destination = new byte[KeyPart.MaxBytes];
        return Encoding.Latin1.GetString(destination, 0, KeyPart.WriteId(id, destination));
    }
}
