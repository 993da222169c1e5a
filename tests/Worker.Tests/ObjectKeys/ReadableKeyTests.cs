using System.Text;
using System.Text.Json;
using FsCheck;
using FsCheck.Fluent;
using Tests.Shared.ReadableKeys;
using Messaging.Archive.Headers;
using Messaging.Archive.ObjectKeys;
using Worker.Tests.Headers;

namespace Worker.Tests.ObjectKeys;

/// <summary>
/// The worker's reader and template against the readable twin over System.Text.Json. What the worker accepts, the twin accepts with the
/// same key; a body that only the twin accepts is poison for a reason in <see cref="StricterThanTheTwin"/>.
/// </summary>
public sealed class ReadableKeyTests
{
    private static readonly Config Runs = Config.QuickThrowOnFailure.WithMaxTest(1_000);
    private static readonly KeyTemplate Template = KeyRun.Compile();
    private static readonly string[] Names = ["EventDateUtc", "Product", "SiteKey", "EventName", "MessageId"];

    /// <summary>The faults that System.Text.Json accepts: it takes the last of two values, and does not check text that is not read.</summary>
    private static readonly PoisonReason[] StricterThanTheTwin = [PoisonReason.InvalidUtf8, PoisonReason.LoneSurrogate, PoisonReason.DuplicateProperty];

    private static readonly string[] Dates =
    [
        "2019-04-01", "2019-04-01T10:20", "2019-04-01t10:20:30z", "2019-04-01 10:20:30", "2019-04-01T10:20:30.123456789012345678901234567890+00:00", "2019-04-01T00:30:00+0200",
        "2019-04-01T00:30:00+02", "2019-12-31T23:59:59-23:59", "0001-01-01", "9999-12-31T23:59:59", "0001-01-01T00:00+00:01", "9999-12-31T23:59:59-00:01", "2000-02-29", "1900-02-29", "2019-04", "2019-4-1",
        "2019-04-01T", "2019-04-01T10", "2019-04-01T24:00:00", "2019-04-01T10:20:60", "2019-04-01T10:20:", "2019-04-01T10:20:30.", "2019-04-01T10:20.5", "2019-04-01T10:20:30.5.5", "2019-04-01T10:20:30,5",
        "2019-04-01T10:20:30ZZ", "2019-04-01T10:20:30 Z", "2019-04-01T10:20:30+", "2019-04-01T10:20:30+2", "2019-04-01T10:20:30+24:00", "2019-04-01T10:20:30+02:60", "2019-04-01T10:20:30++2", "2019-04-01T+02",
        "2019-04-01T10:20:30+02:00:00", "2019-04-01T10:20:30+02-00", "2019-04-01Z", " 2019-04-01", "2019-04-01 ", "2019/04/01", "0000-01-01", "-019-01-01", "2019-04-01T10:20\0", "\uFF12019-04-01",
    ];

    [Theory]
    [InlineData("{\"MessageId\":\"a\",\"MessageId\":\"b\"}", "unknown/unknown/unknown/b.json", PoisonReason.DuplicateProperty)]
    [InlineData("{\"EventDateUtc\":\"none\",\"EventDateUtc\":\"\",\"MessageId\":\"a\"}", "unknown/unknown/unknown/a.json", PoisonReason.BadDate)]
    [InlineData("{\"MessageId\":\"a\",\"x\":\"\\ud800\"}", "unknown/unknown/unknown/a.json", PoisonReason.LoneSurrogate)]
    [InlineData("{\"MessageId\":\"a\",\"x\":\"\u00FF\"}", "unknown/unknown/unknown/a.json", PoisonReason.InvalidUtf8)]
    public void Of_BodiesThatTheWorkerRefuses_AreAcceptedByTheTwin(string latin1, string accepted, object reason)
    {
        byte[] body = Encoding.Latin1.GetBytes(latin1);

        ReadableKey.Of(body).ShouldBe(accepted);
        KeyRun.Run(body, [], Template).Poison.Reason.ShouldBe((PoisonReason)reason);
    }

    [Fact]
    public void Of_RandomMessages_IsTheWorkersKey() => ShouldAgreeFor(Bodies());

    [Fact]
    public void Of_RandomMessagesDamaged_IsTheWorkersKey() => ShouldAgreeFor(Damaged());

    [Fact]
    public void Of_EveryNaughtyStringInEveryProperty_IsTheWorkersKey()
    {
        foreach (string text in NaughtyStrings.All.Concat(Dates))
        {
            foreach (string name in Names)
            {
                Dictionary<string, string?> properties = new(StringComparer.Ordinal) { ["MessageId"] = "id", [name] = Encoding.UTF8.GetString(Encoding.UTF8.GetBytes(text)) };
                ShouldAgree(KeyRun.Body(properties));
                ShouldAgree(KeyRun.Body(properties, escaped: true));
            }
        }
    }

    [Fact]
    public void Of_EveryJsonTextInEveryPlace_IsTheWorkersKey()
    {
        foreach (string text in JsonTexts.Valid.Concat(JsonTexts.Broken))
        {
            ShouldAgree(Encoding.Latin1.GetBytes(text));
            ShouldAgree(Encoding.Latin1.GetBytes("{\"MessageId\":\"id\",\"x\":" + text + "}"));
            ShouldAgree(Encoding.Latin1.GetBytes("{" + text + ":0,\"MessageId\":\"id\"}"));
            foreach (string name in Names)
            {
                ShouldAgree(Encoding.Latin1.GetBytes("{\"" + name + "\":" + text + (name == "MessageId" ? "}" : ",\"MessageId\":\"id\"}")));
            }
        }
    }

    [Fact]
    public void Of_EveryDepthAroundTheLimit_IsTheWorkersKey()
    {
        for (int depth = 60; depth < 70; depth++)
        {
            ShouldAgree(Encoding.UTF8.GetBytes("{\"MessageId\":\"id\",\"x\":" + new string('[', depth) + new string(']', depth) + "}"));
        }
    }

    // A generator of only good or only bad bodies would prove little.
    private static void ShouldAgreeFor(Gen<byte[]> bodies)
    {
        int accepted = 0;
        Prop.ForAll(bodies.ToArbitrary(), body => accepted += ShouldAgree(body) ? 1 : 0).Check(Runs);
        accepted.ShouldBeInRange(Runs.MaxTest / 20, Runs.MaxTest * 19 / 20);
    }

    private static bool ShouldAgree(byte[] body)
    {
        string? readable = ReadableKey.Of(body);
        (string? full, Poison poison) = KeyRun.Run(body, [], Template);
        string text = Encoding.Latin1.GetString(body);
        if (full is null)
        {
            (readable is null || IsDeclared(poison.Reason, body)).ShouldBeTrue($"{poison}, and yet {readable}: {text}");
            return false;
        }

        readable.ShouldBe(full, text);
        KeyRun.Run(body, [], Template, BodyValidation.HeaderOnly).Key.ShouldBe(full, text);
        return true;
    }

    private static bool IsDeclared(PoisonReason reason, byte[] body) =>
        StricterThanTheTwin.Contains(reason) || (reason == PoisonReason.BadDate && HasDuplicates(body));

    // Of two dates the twin reads only the last; the worker reports a bad first date before the duplicate.
    private static bool HasDuplicates(byte[] body)
    {
        try
        {
            byte[] json = body.AsSpan().StartsWith(Encoding.UTF8.Preamble) ? body[3..] : body;
            JsonDocument.Parse(json, new JsonDocumentOptions { AllowDuplicateProperties = false }).Dispose();
            return false;
        }
        catch (JsonException)
        {
            return true;
        }
    }

    private static Gen<byte[]> Bodies()
    {
        Gen<string> text = Gen.Frequency(
            (4, Gen.Elements("p", "My Product", "a_B 9", "0f8fad5b-d9cb-469f-a165-70867728950e", "..", "A/b", "=41")),
            (2, Gen.Elements(NaughtyStrings.All.Where(s => s.Length < 3_000).ToArray())),
            (1, ArbMap.Default.ArbFor<UnicodeString>().Generator.Select(s => s.Get ?? "")),
            (1, Gen.Choose(120, 135).Select(length => new string('q', length))));
        Gen<string?> optional = Gen.Frequency((1, Gen.Constant<string?>(null)), (8, text.Select(t => (string?)t)));
        Gen<string?> date = Gen.Frequency((1, optional), (2, Gen.Elements<string?>(Dates)), (4, Gen.Elements<string?>("2019-04-01T10:20:30Z", null, "")));
        Gen<KeyValuePair<string, string?>> property = Gen.Frequency(
            (2, date.Select(value => KeyValuePair.Create("EventDateUtc", value))),
            (6, from name in Gen.Elements("Product", "SiteKey", "EventName", "MessageId", "product", "Nested", "") from value in optional select KeyValuePair.Create(name, value)));
        return
            from id in Gen.Frequency((1, optional), (6, text.Select(t => (string?)t)))
            from rest in property.ListOf()
            from at in Gen.Choose(0, 6)
            from mark in Gen.Frequency((8, Gen.Constant("")), (1, Gen.Constant("\uFEFF")))
            from escaped in Gen.Elements(true, false)
            let properties = rest.Take(6).ToList()
            select (byte[])[.. Encoding.UTF8.GetBytes(mark), .. KeyRun.Body([.. properties.Take(at), new KeyValuePair<string, string?>("MessageId", id), .. properties.Skip(at)], escaped)];
    }

    // Removes, replaces or adds a byte: mostly broken, sometimes still valid.
    private static Gen<byte[]> Damaged() =>
        from body in Bodies()
        from at in Gen.Choose(0, body.Length - 1)
        from kind in Gen.Choose(0, 2)
        from b in Gen.Elements("{}[]\",:\\u019eE.-+ntf \0\x7F\xC3\xFF".Select(c => (byte)c).ToArray())
        select (byte[])[.. body.Take(at), .. kind == 0 ? Array.Empty<byte>() : [b], .. body.Skip(kind == 2 ? at : at + 1)];
}
