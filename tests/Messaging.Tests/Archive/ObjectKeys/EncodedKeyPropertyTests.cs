using System.Text;
using FsCheck;
using FsCheck.Fluent;
using Quayside.Messaging.Archive.ObjectKeys;

namespace Messaging.Tests.Archive.ObjectKeys;

/// <summary>With <c>encode</c> for every part and one part per level, messages that differ in any part have different keys.</summary>
public sealed class EncodedKeyPropertyTests
{
    private static readonly Config Runs = Config.QuickThrowOnFailure.WithMaxTest(1_000);
    private static readonly string[] Names = ["a", "b", "c", "MessageId"];

    private static readonly KeyTemplate Template =
        KeyRun.Compile(new ArchiveOptions { Template = "{a:encode}/x-{b:encode}/{MessageId}.json/{c:encode}.y" });

    // Values that would collide without encoding.
    private static readonly Gen<string?> Value = Gen.Frequency(
        (1, Gen.Constant<string?>(null)),
        (6, Gen.Elements<string?>(
            "", "a", "A", "a b", "a_b", "a/b", "a=2fb", "=", "==", ".", "..", "a.", "unknown", "Unknown", "=75nknown", "invalid", "\u00E9", "e\u0301", "\0",
            "\uFEFF")),
        (2, Gen.Elements<string?>(NaughtyStrings.All.Where(text => text.Length < 3_000).ToArray())),
        (2, ArbMap.Default.ArbFor<UnicodeString>().Generator.Select(text => (string?)(text.Get ?? ""))),
        (1, Gen.Choose(125, 131).Select(length => (string?)new string('q', length))));

    [Fact]
    public void TryWrite_TwoMessagesWithADifferentPart_NeverShareAKey() => Prop.ForAll(Gen.Two(Message()).ToArbitrary(), pair =>
    {
        string first = Key(pair.Item1);
        string second = Key(pair.Item2);

        (first == second).ShouldBe(Parts(pair.Item1).SequenceEqual(Parts(pair.Item2)), first);
    }).Check(Runs);

    [Fact]
    public void TryWrite_MessagesThatDifferInOnePart_NeverShareAKey() =>
    Prop.ForAll((from message in Message() from at in Gen.Choose(0, 3) from other in Value select (message, at, other)).ToArbitrary(), one =>
    {
        string?[] changed = [.. one.message];
        changed[one.at] = one.at == 3 && string.IsNullOrEmpty(one.other) ? "id" : one.other;

        (Key(one.message) == Key(changed)).ShouldBe(Parts(one.message).SequenceEqual(Parts(changed)));
    }).Check(Runs);

    private static Gen<string?[]> Message() =>
        from a in Value
        from b in Value
        from c in Value
        from id in Value
        select (string?[])[a, b, c, string.IsNullOrEmpty(id) ? "id" : id];

    // Missing, null and empty are the same value. Text outside Unicode becomes U+FFFD in the body.
    private static IEnumerable<string> Parts(string?[] message) => message.Select(value => Encoding.UTF8.GetString(Encoding.UTF8.GetBytes(value ?? "")));

    private static string Key(string?[] message)
    {
        byte[] body = KeyRun.Body(Names.Zip(Parts(message), (name, value) => new KeyValuePair<string, string?>(name, value)));
        string key = KeyRun.Run(body, [], Template).Key.ShouldNotBeNull();
        key.Split('/').Length.ShouldBe(4);
        key.Split('/').Any(level => level is "" or "." or "..").ShouldBeFalse(key);
        key.All(c => char.IsAsciiLetterOrDigit(c) || c is '_' or '-' or '.' or '=' or '/').ShouldBeTrue(key);
        Encoding.UTF8.GetByteCount(key).ShouldBeLessThanOrEqualTo(1_024);
        return key;
    }
}
