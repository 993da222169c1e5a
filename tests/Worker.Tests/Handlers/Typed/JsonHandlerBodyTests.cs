using System.Text;
using System.Text.Json.Serialization.Metadata;
using Messaging.Handlers.Typed;
using Pipeline.Settlements;

namespace Worker.Tests.Handlers.Typed;

/// <summary>Bodies that are not JSON, or do not fit the handler's type.</summary>
public sealed class JsonHandlerBodyTests
{
    [Theory]
    [InlineData("", "malformed-json", "The body is not JSON at byte 0")]
    [InlineData("   ", "malformed-json", "The body is not JSON at byte 3")]
    [InlineData("order", "malformed-json", "The body is not JSON at byte 0 ($): 'o' is an invalid start of a value.")]
    [InlineData("{\"id\":\"a\",\"quantity\":1", "malformed-json", "The body is not JSON at byte 22")]
    [InlineData("{\"id\":\"a\",}", "malformed-json", "The body is not JSON at byte 10")]
    [InlineData("{\"id\":\"a\"} {}", "malformed-json", "The body is not JSON at byte 11 ($): '{' is invalid after a single JSON value.")]
    [InlineData("{\"id\":\"a\",\n\"lines\":[\n{\"article\":'x'}]}", "malformed-json", "The body is not JSON at byte 32 ($.lines[0].article)")]
    [InlineData("null", "wrong-shape", "The body is JSON null; the handler takes Order.")]
    [InlineData("[]", "wrong-shape", "The body is not Order at byte 1 ($): The JSON value could not be converted to")]
    [InlineData("{\"quantity\":1}", "wrong-shape", "The body is not Order at byte 14 ($): JSON deserialization for type 'Worker.Tests.Handlers.Typed.Order' was missing required properties including: 'id'.")]
    [InlineData("{\"id\":\"a\",\"quantity\":\"many\"}", "wrong-shape", "The body is not Order at byte 27 ($.quantity): The JSON value could not be converted to")]
    [InlineData("{\"id\":\"a\",\n\"lines\":[{\"article\":\"x\",\"price\":1},\n{\"article\":\"y\",\"price\":true}]}", "wrong-shape", "The body is not Order at byte 74 ($.lines[1].price): The JSON value could not be converted to")]
    [InlineData("{\"id\":\"a\",\"placedAt\":\"yesterday\"}", "wrong-shape", "The body is not Order at byte 32 ($.placedAt): The JSON value could not be converted to")]
    public void TryRead_NotAnOrder_SaysWhatAndWhere(string body, string reason, string description) =>
        Refused(Encoding.UTF8.GetBytes(body), TestJson.Default.Order, reason, description);

    [Fact]
    public void TryRead_InvalidUtf8_SaysWhere()
    {
        byte[] body = [.. "{\"id\":\""u8, 0xC3, 0x28, .. "\"}"u8];

        Refused(body, TestJson.Default.Order, "invalid-utf8", "The body is not UTF-8 at byte 7 ($.id).");
    }

    [Fact]
    public void TryRead_TooDeep_IsMalformed() =>
        Refused(Encoding.UTF8.GetBytes(new string('[', 100)), TestJson.Default.Order, "malformed-json", "The body is not JSON at byte 64 ($)");

    [Fact]
    public void TryRead_ConstructorThrows_IsWrongShape() =>
        Refused("{\"value\":101}"u8.ToArray(), TestJson.Default.Percentage, "wrong-shape", "The body is not Percentage: A percentage is 0 to 100.");

    [Fact]
    public void TryRead_AbstractTypeWithoutDiscriminator_IsWrongShape() =>
        Refused("{\"radius\":1}"u8.ToArray(), TestJson.Default.Shape, "wrong-shape", "The body is not Shape");

    [Fact]
    public void TryRead_NullForAStruct_IsWrongShape() =>
        Refused("null"u8.ToArray(), TestJson.Default.Reading, "wrong-shape", "The body is not Reading at byte 4 ($)");

    [Fact]
    public void TryRead_ByteOrderMark_IsSkippedAndCounted()
    {
        byte[] mark = [0xEF, 0xBB, 0xBF];

        new JsonBody<Order>(TestJson.Default.Order).TryRead([.. mark, .. "{\"id\":\"a\"}"u8], out Order? order, out _).ShouldBeTrue();

        order.ShouldNotBeNull().Id.ShouldBe("a");
        Refused([.. mark, (byte)'x'], TestJson.Default.Order, "malformed-json", "The body is not JSON at byte 3 ($)");
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
