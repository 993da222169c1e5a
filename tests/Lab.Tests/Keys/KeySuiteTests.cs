using Benchmarks.Keys;
using Lab.Keys;
using Tests.Shared.ReadableKeys;

namespace Lab.Tests.Keys;

/// <summary>Every variant of the key suites makes the same key; otherwise the figures would not be comparable.</summary>
public sealed class KeySuiteTests
{
    [Fact]
    public void Setup_ObjectKeyBuilder_FindsEveryVariantEqual() => new ObjectKeyBuilderBenchmarks().Setup();

    [Fact]
    public void Setup_MessageToKey_FindsEveryVariantEqual() => new MessageToKeyBenchmarks().Setup();

    [Fact]
    public void Require_AnotherKey_Throws() =>
        Should.Throw<InvalidOperationException>(() => KeyInput.Require("Some", "other")).Message.ShouldContain("Some makes the key 'other'");

    [Fact]
    public void Bytes_TheFixedMessage_HasThreeHundred() => KeyInput.Bytes().Length.ShouldBe(300);

    [Theory]
    [InlineData(null, "Site Key", "a-b")]
    [InlineData("", "x_9", "My Event")]
    [InlineData("\u00E9", " ", "Z")]
    public void Of_OtherValues_EveryVariantAgrees(string? product, string? site, string? name)
    {
        foreach (DateTime? date in (DateTime?[])[null, new DateTime(2019, 4, 1, 10, 0, 0, DateTimeKind.Utc)])
        {
            KeyMessage message = new() { EventDateUtc = date, Product = product, SiteKey = site, EventName = name, MessageId = "id" };
            string key = OriginalKey.Of(message);

            SpanBasedKey.Of(message).ShouldBe(key);
            StringCreateKey.Of(message).ShouldBe(key);
            new WorkerKeyOfObject().Text(message).ShouldBe(key);
            ReadableKey.Of(new ReadableMessage(date is null ? null : "2019-04-01T10:00Z", product, site, name, "id")).ShouldBe(key);
        }
    }
}
