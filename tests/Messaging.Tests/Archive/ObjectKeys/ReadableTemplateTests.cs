using System.Text;
using FsCheck;
using FsCheck.Fluent;
using Quayside.Messaging.Archive.Headers;
using Quayside.Messaging.Archive.ObjectKeys;
using Tests.Shared.ReadableKeys;

namespace Messaging.Tests.Archive.ObjectKeys;

/// <summary>The worker's reader and template against the readable twin over JsonDocument, for nested paths, every rule and every outcome.</summary>
public sealed class ReadableTemplateTests
{
    private static readonly Config Runs = Config.QuickThrowOnFailure.WithMaxTest(300);

    private static readonly (string Template, string Id)[] Templates =
    [
        ("{tenant.id}/{order.lines[0].sku:keep}/{at:yyyy/MM/dd}/{MessageId}.json", "MessageId"),
        ("{tenant.id:keep}.{n:number}/x-{MessageId}/{\"odd.name\":encode}/{ts:epoch:yyyy-MM/dd_HH.mm.ss}", "order.id"),
        ("{order.lines[0].sku:lower}/{order.lines[2]}/{n:number}/{n:epochms:yyyy/MM}/{MessageId}", "tenant.id"),
        ("{\"odd.name\":lower}{tenant.id:encode}/{order.lines[1].sku:encode}/{MessageId}/{at:yyyy}", "n:number"),
    ];

    private static readonly (ReadableTemplate Twin, KeyTemplate Template)[] Pairs =
    [
        .. from one in Templates
           from rules in new[]
           {
               (Missing: MissingPropertyRule.Default, Invalid: InvalidValueRule.Default),
               (Missing: MissingPropertyRule.Default, Invalid: InvalidValueRule.Encode),
               (Missing: MissingPropertyRule.DeadLetter, Invalid: InvalidValueRule.DeadLetter),
           }
           let missing = rules.Missing
           let invalid = rules.Invalid
           select (
               new ReadableTemplate(one.Template, one.Id, missing.ToString(), invalid.ToString()),
               KeyRun.Compile(
                   new ArchiveOptions { Template = one.Template, MessageIdProperty = one.Id, MissingProperty = missing, InvalidValue = invalid })),
    ];

    [Fact]
    public void Of_RandomMessages_IsTheWorkersKey() => ShouldAgreeFor(Bodies());

    [Fact]
    public void Of_RandomMessagesDamaged_IsTheWorkersKey() => ShouldAgreeFor(
        from body in Bodies()
        from at in Gen.Choose(0, body.Length - 1)
        from kind in Gen.Choose(0, 2)
        from b in Gen.Elements("{}[]\",:\\u019eE.-+ntf \0".Select(c => (byte)c).ToArray())
        select (byte[])[.. body.Take(at), .. kind == 0 ? Array.Empty<byte>() : [b], .. body.Skip(kind == 2 ? at : at + 1)]);

    // A generator of only good or only bad bodies would prove little.
    private static void ShouldAgreeFor(Gen<byte[]> bodies)
    {
        int accepted = 0;
        Prop.ForAll(bodies.ToArbitrary(), body => accepted += Pairs.Count(pair => ShouldAgree(pair.Twin, pair.Template, body))).Check(Runs);
        accepted.ShouldBeInRange(Runs.MaxTest * Pairs.Length / 20, Runs.MaxTest * Pairs.Length * 19 / 20);
    }

    private static bool ShouldAgree(ReadableTemplate twin, KeyTemplate template, byte[] body)
    {
        (string? expected, string? reason) = twin.Of(body);
        (string? key, Poison poison) = KeyRun.Run(body, [], template);
        string text = Encoding.UTF8.GetString(body);

        // The twin checks only the text that it needs.
        if (poison.Reason is PoisonReason.LoneSurrogate or PoisonReason.InvalidUtf8)
        {
            return false;
        }

        key.ShouldBe(expected, $"{poison} {reason}: {text}");
        if (key is null)
        {
            bool isOfTheKey = poison.Reason is PoisonReason.MissingId or PoisonReason.MissingProperty or PoisonReason.InvalidValue;
            reason.ShouldBe(isOfTheKey ? poison.Reason : "poison", text);
            return false;
        }

        key.Split('/').Any(level => level is "" or "." or "..").ShouldBeFalse(key);
        KeyRun.Run(body, [], template, BodyValidation.HeaderOnly).Key.ShouldBe(key, text);
        return true;
    }

    private static Gen<byte[]> Bodies()
    {
        Gen<string> text = Gen
            .Elements(
                "acme-corp", "Acme Corp", "a_b", "..", ".tmp", "a/b", "unknown", "caf\u00E9", "\\u00e9\\n", "\U0001F600",
                "0F8FAD5B-D9CB-469F-A165-70867728950E", new string('q', 130), "")
                .Select(t => $"\"{t}\"");
        Gen<string> number = Gen.Elements("0", "-1", "1.50", "1E+5", "true", "1795256130", "-62135596800", "99999999999999999999", "-0.25");
        Gen<string> date = Gen.Elements("\"2026-11-21T10:15:30Z\"", "\"2026-11-21\"", "\"0001-01-01T00:00:00\"", "\"\"", "null", "\"soon\"");
        Gen<string> epoch = Gen.Elements("1795256130", "\"1795256130\"", "1795256130.5", "0", "-62135596800", "\"\"", "null", "1e3", "\"soon\"");
        Gen<string> odd = Gen.Elements("null", "1", "true", "\"x\"", "[]", "{}", "[{\"sku\":\"no\"}]", "{\"id\":\"no\"}");
        Gen<string> line = Or(text.Select(sku => $"{{\"x\":[1],\"sku\":{sku},\"y\":{{\"sku\":1}}}}"), text, odd);
        Gen<string> lines = Or(line.ListOf().Select(all => $"[{string.Join(" ,", all.Take(4))}]"), odd);
        Gen<string> tenant = Or(Object(("id", Or(text, number, odd)), ("name", text)), odd);
        Gen<string> order = Or(Object(("lines", lines), ("id", Or(text, text, odd))), odd);
        return
            from body in Object(
                ("tenant", tenant), ("order", order), ("odd.name", Or(text, odd)), ("n", Or(number, odd)), ("at", date), ("ts", epoch),
                ("MessageId", Or(text, odd)), ("extra", odd))
            select Encoding.UTF8.GetBytes(body);
    }

    // Mostly the first.
    private static Gen<string> Or(Gen<string> first, params Gen<string>[] others) =>
        Gen.Frequency([(24, first), .. others.Select(other => (1, other))]);

    // Most properties once, some missing or twice, in any order; some names escaped.
    private static Gen<string> Object(params (string Name, Gen<string> Value)[] properties)
    {
        Gen<string> none = Gen.Constant("");
        IEnumerable<Gen<string>> texts = properties.Select(property =>
        {
            Gen<string> one =
                from value in property.Value
                from escaped in Gen.Frequency((9, Gen.Constant(false)), (1, Gen.Constant(true)))
                select $"\"{(escaped ? $"\\u{(int)property.Name[0]:x4}{property.Name[1..]}" : property.Name)}\": {value}";
            return Gen.Frequency((2, none), (60, one), (1, from first in one from second in one select $"{first},{second}"));
        });
        return
            from all in Gen.CollectToArray(texts)
            from rotation in Gen.Choose(0, properties.Length - 1)
            let present = all.Skip(rotation).Concat(all.Take(rotation)).Where(one => one.Length > 0)
            select "{" + string.Join(",", present) + "}";
    }
}
