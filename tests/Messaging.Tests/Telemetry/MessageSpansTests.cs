using System.Diagnostics;
using Quayside.Messaging.Telemetry;

namespace Messaging.Tests.Telemetry;

public sealed class MessageSpansTests
{
    private const string Valid = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    [Fact]
    public void ParseContext_Valid_IsTheSendersSpan()
    {
        ActivityContext context = MessageSpans.ParseContext(Valid, "vendor=1");

        context.TraceId.ToHexString().ShouldBe("0af7651916cd43dd8448eb211c80319c");
        context.SpanId.ToHexString().ShouldBe("b7ad6b7169203331");
        context.TraceFlags.ShouldBe(ActivityTraceFlags.Recorded);
        context.TraceState.ShouldBe("vendor=1");
        context.IsRemote.ShouldBeTrue();
    }

    [Theory]
    [InlineData(null)]
    [InlineData("")]
    [InlineData("|abc.1.")]
    [InlineData("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x")]
    [InlineData("00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01")]
    [InlineData("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0é")]
    [InlineData("00-00000000000000000000000000000000-b7ad6b7169203331-01")]
    [InlineData("00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01")]
    [InlineData("ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")]
    [InlineData("00-0af7651916cd43dd8448eb211c80319g-b7ad6b7169203331-01")]
    public void ParseContext_Malformed_IsNone(string? traceParent) => MessageSpans.ParseContext(traceParent, "vendor=1").ShouldBe(default);

    [Fact]
    public void ParseContext_EveryCharacterChanged_NeverThrows()
    {
        for (int i = 0; i < Valid.Length; i++)
        {
            foreach (char c in "\0 -gG\u00e9\ud800")
            {
                Should.NotThrow(() => MessageSpans.ParseContext(string.Concat(Valid.AsSpan(0, i), [c], Valid.AsSpan(i + 1)), traceState: null));
            }
        }
    }

    [Fact]
    public void ParseContext_StateIsTooLong_IsDroppedAndTheTraceContinues()
    {
        ActivityContext context = MessageSpans.ParseContext(Valid, new string('s', 513));

        context.TraceState.ShouldBeNull();
        context.TraceId.ToHexString().ShouldBe("0af7651916cd43dd8448eb211c80319c");
    }
}
