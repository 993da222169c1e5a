using System.Text;
using Quayside.Messaging.Archive.Headers;
using Quayside.Messaging.Archive.ObjectKeys;

namespace Messaging.Tests.Archive.ObjectKeys;

public sealed class KeyTemplateNaughtyTests
{
    private static readonly string[] Names = ["Product", "SiteKey", "EventName", "MessageId"];

    [Fact]
    public void TryWrite_NaughtyValueInEachProperty_EqualsTheReferenceAndStaysConfined()
    {
        KeyTemplate template = KeyRun.Compile();
        foreach (string naughty in NaughtyStrings.All)
        {
            foreach (string name in Names)
            {
                var properties =
                    new Dictionary<string, string?>(StringComparer.Ordinal) { ["Product"] = "p", ["SiteKey"] = "s", ["EventName"] = "e", ["MessageId"] = "m" };
                properties[name] = naughty;
                string expected = ReferenceKey.Of(new ArchiveOptions(), properties, "src"u8.ToArray());
                expected.ShouldBeConfined();
                foreach (bool escaped in new[] { false, true })
                {
                    KeyRun.Run(KeyRun.Body(properties, escaped), "src"u8.ToArray(), template).Key.ShouldBe(expected, naughty);
                }
            }
        }
    }

    [Fact]
    public void TryWrite_NaughtyIdOfTheSource_EqualsTheReferenceAndStaysConfined()
    {
        KeyTemplate template = KeyRun.Compile();
        foreach (byte[] id in NaughtyStrings.All.Select(Encoding.UTF8.GetBytes).Append([0xFF, 0xC0, 0x80, 0xED, 0xA0, 0x80]).Where(id => id.Length > 0))
        {
            string key = KeyRun.Run("{}"u8.ToArray(), id, template).Key.ShouldNotBeNull();

            key.ShouldBe($"unknown/unknown/unknown/{ReferenceKey.Id(id)}.json");
            key.ShouldBeConfined();
        }
    }

    [Fact]
    public void TryRead_NaughtyDate_IsADateOrBadDate()
    {
        KeyTemplate template = KeyRun.Compile();
        foreach (string naughty in NaughtyStrings.All.Where(s => s.Length > 0))
        {
            var (key, poison) = KeyRun.Run(KeyRun.Body([new("EventDateUtc", naughty), new("MessageId", "m")]), [], template);

            key.ShouldBeNull();
            poison.Reason.ShouldBe(PoisonReason.BadDate);
        }
    }

    [Theory]
    [InlineData("""\ud800""")]
    [InlineData("""\udc00""")]
    [InlineData("""a\uDBFFb""")]
    [InlineData("""\udc00\ud800""")]
    [InlineData("""\ud800\ud800\udc00""")]
    [InlineData("""\ud800\n""")]
    [InlineData("""\ud83d\u0041""")]
    public void TryRead_LoneSurrogateInAUsedProperty_IsPoisonUnderEveryRule(string escape)
    {
        KeyTemplate template = KeyRun.Compile();
        foreach (string name in Names.Append("EventDateUtc"))
        {
            foreach (BodyValidation validation in Enum.GetValues<BodyValidation>())
            {
                byte[] body = Encoding.UTF8.GetBytes($$"""{"x":1,"{{name}}":"{{escape}}"}""");

                var (_, poison) = KeyRun.Run(body, "src"u8.ToArray(), template, validation);

                poison.Reason.ShouldBe(PoisonReason.LoneSurrogate);
                poison.Property.ShouldBe(name);
            }
        }
    }

    [Fact]
    public void TryWrite_NaughtyPropertyNames_AreFoundPlainAndEscaped()
    {
        foreach (string name in NaughtyStrings.All.Where(n => n.Length < 40))
        {
            string quoted = "\"" + name.Replace("\\", "\\\\").Replace("\"", "\\\"") + "\"";
            foreach (string path in new[] { name, quoted })
            {
                var options = new ArchiveOptions { Template = "{" + path + ":encode}/{MessageId}" };
                if (!KeyTemplate.TryCompile(options, out KeyTemplate? template, out _)
                    || template.Properties[0].Path.Steps is not [{ } only]
                    || only.Name != name)
                {
                    continue;
                }

                foreach (bool escaped in new[] { false, true })
                {
                    KeyRun.Run(KeyRun.Body([new(name, "found"), new("MessageId", "m")], escaped), [], template).Key.ShouldBe("found/m", name);
                }
            }
        }
    }
}
