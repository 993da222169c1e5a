using Quayside.Messaging.Telemetry;

namespace Messaging.Tests.Telemetry;

public sealed class DurationTextTests
{
    [Theory]
    [InlineData(0, "0 ms")]
    [InlineData(78.6152, "79 ms")]
    [InlineData(1_500, "1.5 s")]
    [InlineData(25_000, "25 s")]
    [InlineData(90_000, "90 s")]
    [InlineData(900_000, "15 min")]
    [InlineData(43_200_000, "12 h")]
    public void Of_Time_IsReadable(double milliseconds, string text) => DurationText.Of(TimeSpan.FromMilliseconds(milliseconds)).ShouldBe(text);
}
