using System.Globalization;
using System.Text;
using Microsoft.Extensions.Configuration;
using Quayside.Messaging.Archive.Headers;
using Quayside.Messaging.Archive.ObjectKeys;
using Quayside.Messaging.Configuration;

namespace Messaging.Tests.Archive.ObjectKeys;

/// <summary>The example configurations of docs/reference/object-keys.md give suitable keys to messages of three real formats.</summary>
public sealed class KeyExamplesTests
{
    private const int Messages = 1_000;

    private static readonly DateTimeOffset Start = new(2026, 11, 21, 10, 15, 30, TimeSpan.Zero);

    [Theory]
    [InlineData("orders")]
    [InlineData("cloudevents")]
    [InlineData("webhook")]
    public void Key_OfTheMessageInTheDocs_IsTheOneInTheDocs(string name)
    {
        (string configuration, string message, string key) = KeyExamples.Read(name);

        Key(Compile(configuration), message).ShouldBe(key);
    }

    [Fact]
    public void Key_OfOrders_BeginsWithTheTenant()
    {
        KeyTemplate template = Compile(KeyExamples.Read("orders").Configuration);
        string[] tenants = ["acme-corp", "globex.inc", "0f8fad5b-d9cb-469f-a165-70867728950e", "Initech"];
        foreach ((int i, DateTimeOffset at) in All())
        {
            string id = new Guid(i, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10).ToString();
            string tenant = tenants[i % tenants.Length];
            string message = $$$"""{"id":"{{{id}}}","type":"OrderPlaced","occurredAt":"{{{at:O}}}","tenant":{"id":"{{{tenant}}}","region":"eu"},"order":{"number":"SO-{{{i}}}","lines":[{"sku":"A"}]}}""";

            Key(template, message).ShouldBe($"{tenant}/OrderPlaced/{Day(at)}/{id}.json");
        }

        Key(template, """{"id":"1","type":"OrderPlaced","occurredAt":"2026-11-21","tenant":{"id":"A b/c"}}""").ShouldBe(
            "A=20b=2fc/OrderPlaced/2026/11/21/1.json");
        KeyRun.Run("""{"id":"1","type":"OrderPlaced","occurredAt":"2026-11-21","tenant":{}}"""u8.ToArray(), [], template).Poison.ToString()
            .ShouldBe("missing-property at byte 0, property \"tenant.id\"");
    }

    [Fact]
    public void Key_OfCloudEvents_HoldsSourceAndId()
    {
        KeyTemplate template = Compile(KeyExamples.Read("cloudevents").Configuration);
        HashSet<string> keys = new(StringComparer.Ordinal);
        foreach ((int i, DateTimeOffset at) in All())
        {
            // The same id from two sources is two events.
            string id = $"evt-{i / 2}";
            string message = $$$"""{"specversion":"1.0","type":"com.example.Order{{{i % 3}}}","source":"urn:shop:{{{i % 2}}}","id":"{{{id}}}","time":"{{{Start:O}}}","data":{"id":{{{i}}},"at":"{{{at:O}}}"}}""";

            string key = Key(template, message);

            key.ShouldBe($"urn=3ashop=3a{i % 2}/com.example.order{i % 3}/2026/11/21/10/{id}.json");
            keys.Add(key).ShouldBeTrue(key);
        }
    }

    [Fact]
    public void Key_OfWebhooks_HoldsNumbersAndTheMonth()
    {
        KeyTemplate template = Compile(KeyExamples.Read("webhook").Configuration);
        foreach ((int i, DateTimeOffset at) in All())
        {
            long id = 9_007_199_254_740_993 + i;
            string message = $$$"""{"action":"created","deployment":{"id":{{{id}}},"payload":{"id":1}},"repository":{"id":{{{i % 7}}},"owner":{"login":"Octo-Cat","id":1},"pushed_at":{{{at.ToUnixTimeSeconds()}}}},"sender":{"id":2}}""";

            Key(template, message).ShouldBe($"Octo-Cat/{i % 7}/{at.ToString("yyyy'/'MM", CultureInfo.InvariantCulture)}/{id}.json");
        }
    }

    private static IEnumerable<(int Number, DateTimeOffset At)> All() => Enumerable.Range(0, Messages).Select(i => (i, Start.AddHours(i)));

    private static string Day(DateTimeOffset at) => at.ToString("yyyy'/'MM'/'dd", CultureInfo.InvariantCulture);

    private static KeyTemplate Compile(string configuration)
    {
        using MemoryStream stream = new(Encoding.UTF8.GetBytes(configuration));
        SettingsReader settings = new(new ConfigurationBuilder().AddJsonStream(stream).Build());
        ArchiveOptions options = settings.Read<ArchiveOptions>(ArchiveOptions.Section);
        settings.Errors.ShouldBeEmpty();
        return KeyRun.Compile(options);
    }

    private static string Key(KeyTemplate template, string message)
    {
        (string? key, Poison poison) = KeyRun.Run(Encoding.UTF8.GetBytes(message), [], template);
        return key.ShouldNotBeNull(poison.ToString());
    }
}
