using System.Text;
using FsCheck;
using FsCheck.Fluent;
using Quayside.Messaging.Archive.ObjectKeys;

namespace Messaging.Tests.Archive.ObjectKeys;

public sealed class KeyTemplatePropertyTests
{
    private static readonly Config Runs = Config.QuickThrowOnFailure.WithMaxTest(500);
    private static readonly string[] Naughty = [.. NaughtyStrings.All.Where(s => s.Length < 3_000)];

    private static readonly ArchiveOptions[] Templates =
    [
        new(),
        new() { Template = "{Product}{SiteKey}/{MessageId}", KeyPrefix = "p/q" },
        new() { Template = "x-{MessageId}-y/{Product}.{SiteKey}/{EventDateUtc:yyyy-MM-dd_HH.mm.ss}" },
        new() { Template = "{Product}-{EventDateUtc:yyyy/MM}/{EventDateUtc:dd/HH}/z/id={Id}.json", MessageIdProperty = "Id" },
    ];

    private static readonly KeyTemplate[] Compiled = [.. Templates.Select(KeyRun.Compile)];

    [Fact]
    public void TryWrite_TwoMessagesWithDifferentIds_NeverShareAKey() => Prop.ForAll(Gen.Two(Messages()).ToArbitrary(), pair =>
    {
        for (int i = 0; i < Templates.Length; i++)
        {
            bool sameId = pair.Item1.Id(Templates[i]).SequenceEqual(pair.Item2.Id(Templates[i]));
            string? first = KeyRun.Run(pair.Item1.Body(), pair.Item1.SourceId, Compiled[i]).Key;
            string? second = KeyRun.Run(pair.Item2.Body(), pair.Item2.SourceId, Compiled[i]).Key;
            (first == second && !sameId).ShouldBeFalse(first);
        }
    }).Check(Runs);

    // Ids similar to each other and to values of other parts, so that a template that mixes parts fails.
    private static Gen<Message> Messages()
    {
        Gen<string> close = Gen.Elements("a", "A", "ab", "b", "a_b", "a-b", "=41", "2019", "2019-a", "04", ".", "..", "unknown");
        Gen<string> text = Gen.Frequency(
            (4, close),
            (2, Gen.Elements(Naughty)),
            (1, ArbMap.Default.ArbFor<UnicodeString>().Generator.Select(s => s.Get ?? "")),
            (1, Gen.Choose(100, 140).Select(length => new string('Q', length))));
        Gen<string?> optional = Gen.Frequency((1, Gen.Constant<string?>(null)), (5, text.Select(t => (string?)t)));
        Gen<string?> date = Gen.Elements<string?>(null, "", "2019-04-01", "2019-04-01T10:00Z", "2019-12-31T23:59:59.9999999-01:00", "0001-01-01T00:00:00");
        return
            from product in optional
            from site in optional
            from eventName in optional
            from at in date
            from id in optional
            from otherId in optional
            from source in text.Where(t => t.Length > 0)
            from order in Gen.Choose(0, 5)
            from escaped in Gen.Elements(true, false)
            select new Message(
                Rotate(order, ("Product", product), ("SiteKey", site), ("EventName", eventName), ("EventDateUtc", at), ("MessageId", id), ("Id", otherId)),
                Utf8(source), escaped);
    }

    private static Dictionary<string, string?> Rotate(int by, params (string Name, string? Value)[] properties) => properties
        .Skip(by).Concat(properties.Take(by))
        .ToDictionary(p => p.Name, p => p.Value is null ? null : Encoding.UTF8.GetString(Utf8(p.Value)), StringComparer.Ordinal);

    private static byte[] Utf8(string text) => Encoding.UTF8.GetBytes(text);

    public sealed record Message(Dictionary<string, string?> Properties, byte[] SourceId, bool Escaped)
    {
        public byte[] Body() => KeyRun.Body(Properties, Escaped);

        internal byte[] Id(ArchiveOptions options) => Properties[options.MessageIdProperty] is { Length: > 0 } id ? Utf8(id) : SourceId;
    }
}
