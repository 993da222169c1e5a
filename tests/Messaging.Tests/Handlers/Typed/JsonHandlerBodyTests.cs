using System.Text;
using System.Text.Json.Serialization.Metadata;
using Quayside.Messaging.Handlers.Typed;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Handlers.Typed;

/// <summary>Bodies that are not JSON, or do not fit the handler's type.</summary>
public sealed class JsonHandlerBodyTests
{
    [Theory]
    [InlineData("", "malformed-json", "The body is not JSON: at byte 0")]
    [InlineData("   ", "malformed-json", "The body is not JSON: at byte 3")]
    [InlineData("order", "malformed-json", "The body is not JSON: at byte 0, path $: 'o' is an invalid start of a value.")]
    [InlineData("{\"id\":\"a\",\"quantity\":1", "malformed-json", "The body is not JSON: at byte 22")]
    [InlineData("{\"id\":\"a\",}", "malformed-json", "The body is not JSON: at byte 10")]
    [InlineData("{\"id\":\"a\"} {}", "malformed-json", "The body is not JSON: at byte 11, path $: '{' is invalid after a single JSON value.")]
    [InlineData("{\"id\":\"a\",\n\"lines\":[\n{\"article\":'x'}]}", "malformed-json", "The body is not JSON: at byte 32, path $.lines[0].article")]
    [InlineData("null", "wrong-shape", "The body is JSON null; the handler takes Order.")]
    [InlineData("[]", "wrong-shape", "Cannot read the body as Order: at byte 1, path $: expected an object.")]
    [InlineData("{\"quantity\":1}", "wrong-shape", "Cannot read the body as Order: at byte 14, path $: required properties are missing: 'id'.")]
    [InlineData(
        "{\"id\":\"a\",\"quantity\":\"many\"}", "wrong-shape", "Cannot read the body as Order: at byte 27, path $.quantity: expected a whole number (Int32).")]
    [InlineData(
        "{\"id\":\"a\",\n\"lines\":[{\"article\":\"x\",\"price\":1},\n{\"article\":\"y\",\"price\":true}]}", "wrong-shape",
        "Cannot read the body as Order: at byte 74, path $.lines[1].price: expected a number (Decimal).")]
    [InlineData("{\"id\":1}", "wrong-shape", "Cannot read the body as Order: at byte 7, path $.id: expected a string.")]
    [InlineData("{\"id\":\"a\",\"lines\":{}}", "wrong-shape", "Cannot read the body as Order: at byte 19, path $.lines: expected an array.")]
    [InlineData(
        "{\"id\":\"a\",\"placedAt\":\"yesterday\"}", "wrong-shape",
        "Cannot read the body as Order: at byte 32, path $.placedAt: expected a date and time as a string.")]
    public void TryRead_NotAnOrder_SaysWhatAndWhere(string body, string reason, string description) =>
        Refused(Encoding.UTF8.GetBytes(body), TestJson.Default.Order, reason, description);

    [Fact]
    public void TryRead_InvalidUtf8_SaysWhere()
    {
        byte[] body = [.. "{\"id\":\""u8, 0xC3, 0x28, .. "\"}"u8];

        Refused(body, TestJson.Default.Order, "invalid-utf8", "The body is not UTF-8: at byte 7, path $.id.");
    }

    [Fact]
    public void TryRead_Utf16_SaysSo()
    {
        Refused(
            [.. Encoding.Unicode.GetPreamble(), .. Encoding.Unicode.GetBytes("{}")], TestJson.Default.Order, "invalid-utf8",
            "The body is not UTF-8: at byte 0, path $. It looks like UTF-16; send it as UTF-8.");
        Refused(
            Encoding.BigEndianUnicode.GetBytes("{}"), TestJson.Default.Order, "malformed-json",
            "The body is not JSON: at byte 0, path $: '0x00' is an invalid start of a value. It looks like UTF-16; send it as UTF-8.");
    }

    [Fact]
    public void TryRead_TooDeep_IsMalformed() =>
        Refused(Encoding.UTF8.GetBytes(new string('[', 100)), TestJson.Default.Order, "malformed-json", "The body is not JSON: at byte 64, path $");

    [Fact]
    public void TryRead_ConstructorThrows_IsWrongShape() =>
        Refused("{\"value\":101}"u8.ToArray(), TestJson.Default.Percentage, "wrong-shape", "Cannot read the body as Percentage: A percentage is 0 to 100.");

    [Fact]
    public void TryRead_AbstractTypeWithoutDiscriminator_IsWrongShape() =>
        Refused("{\"radius\":1}"u8.ToArray(), TestJson.Default.Shape, "wrong-shape", "Cannot read the body as Shape");

    [Fact]
    public void TryRead_NullForAStruct_IsWrongShape() =>
        Refused("null"u8.ToArray(), TestJson.Default.Reading, "wrong-shape", "Cannot read the body as Reading: at byte 4, path $: expected an object.");

    [Fact]
    public void TryRead_ByteOrderMark_IsSkippedAndCounted()
    {
        byte[] mark = [0xEF, 0xBB, 0xBF];

        new JsonBody<Order>(TestJson.Default.Order).TryRead([.. mark, .. "{\"id\":\"a\"}"u8], out Order? order, out _).ShouldBeTrue();

        order.ShouldNotBeNull().Id.ShouldBe("a");
        Refused([.. mark, (byte)'x'], TestJson.Default.Order, "malformed-json", "The body is not JSON: at byte 3, path $");
    }

    [Fact]
    public void TryRead_EverySplitOfAnOrder_IsRefusedAndTheWholeIsRead()
    {
        byte[] body = "{\"id\":\"a\",\"quantity\":3,\"lines\":[{\"article\":\"x\",\"price\":1.5}]}"u8.ToArray();
        JsonBody<Order> json = new(TestJson.Default.Order);
        for (int length = 0; length < body.Length; length++)
        {
            json.TryRead(body.AsSpan(0, length), out _, out Settlement refusal).ShouldBeFalse();
            refusal.Reason.ShouldBe("malformed-json");
        }

        json.TryRead(body, out Order? order, out Settlement none).ShouldBeTrue();
        order.ShouldNotBeNull().Lines.ShouldBe([new OrderLine("x", 1.5m)]);
        none.IsDecided.ShouldBeFalse();
    }

    private static void Refused<T>(byte[] body, JsonTypeInfo<T> typeInfo, string reason, string description)
    {
        new JsonBody<T>(typeInfo).TryRead(body, out _, out Settlement refusal).ShouldBeFalse();

        refusal.Kind.ShouldBe(SettlementKind.DeadLetter);
        refusal.Reason.ShouldBe(reason);
        refusal.Description.ShouldNotBeNull().ShouldStartWith(description);
        refusal.Description.ShouldNotContain("LineNumber");
    }
}
