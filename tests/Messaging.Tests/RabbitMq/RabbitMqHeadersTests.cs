using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.RabbitMq;
using RabbitMQ.Client;

namespace Messaging.Tests.RabbitMq;

public sealed class RabbitMqHeadersTests
{
    public static TheoryData<object?, string?> Values => new()
    {
        { null, string.Empty },
        { "text"u8.ToArray(), "text" },
        { "text", "text" },
        { true, "true" },
        { 7L, "7" },
        { (sbyte)-1, "-1" },
        { 1.5, "1.5" },
        { 2.50m, "2.50" },
        { new AmqpTimestamp(0), "1970-01-01T00:00:00.0000000+00:00" },
        { new AmqpTimestamp(1_769_854_830_000), "1769854830000" },
        { new BinaryTableValue([1, 2]), "AQI=" },
        { new List<object?> { 1 }, null },
        { new Dictionary<string, object?>(), null },
    };

    [Theory]
    [MemberData(nameof(Values))]
    public void TextOf_EachType_IsItsTextOrNone(object? value, string? text) => RabbitMqHeaders.TextOf(value).ShouldBe(text);

    [Theory]
    [InlineData(-1, false)]
    [InlineData(0, true)]
    [InlineData(253_402_300_799, true)]
    [InlineData(253_402_300_800, false)]
    [InlineData(long.MaxValue, false)]
    public void TimeOf_SecondsThatADateHas_AreATime(long seconds, bool isTime) => RabbitMqHeaders.TimeOf(new AmqpTimestamp(seconds)).HasValue.ShouldBe(isTime);

    [Theory]
    [InlineData(3L, 3)]
    [InlineData(-3L, 0)]
    [InlineData(long.MaxValue, int.MaxValue - 1)]
    [InlineData("3", null)]
    public void EarlierDeliveries_OnlyANumber_Counts(object header, int? count) =>
        RabbitMqHeaders.EarlierDeliveries(With(("x-delivery-count", header))).ShouldBe(count);

    [Fact]
    public void Redriven_OfADeadLetter_HasOnlyTheSendersHeaders()
    {
        BasicProperties letter = With(
            ("tenant", "north"), ("CC", "other"), ("BCC", "other"), ("x-delivery-count", 2L), ("x-dotnet-pub-seq-no", 1L), ("x-death", new List<object?>()),
            ("x-first-death-reason", "rejected"),
            ("dead-letter-reason", "r"), ("dead-letter-description", "d"), ("dead-letter-exception-type", "t"), ("dead-letter-exception", "e"),
            ("dead-letter-deliveries", 1L), ("dead-letter-queue", "q"), ("dead-letter-time", new AmqpTimestamp(1)));
        letter.UserId = "another";
        letter.Expiration = "1";
        letter.MessageId = "m";

        BasicProperties message = RabbitMqHeaders.Redriven(letter);

        message.Headers!.Keys.ShouldBe(["tenant"]);
        message.MessageId.ShouldBe("m");
        message.Persistent.ShouldBeTrue();
        message.IsUserIdPresent().ShouldBeFalse();
        message.IsExpirationPresent().ShouldBeFalse();
        letter.Headers!.Count.ShouldBe(14);
    }

    [Fact]
    public void Record_OfADeadLetter_HasWhatTheFolderKeeps()
    {
        BasicProperties letter = With(
            ("tenant", "north"u8.ToArray()), ("n", 7), ("CC", "other"), ("x-delivery-count", 2L), ("dead-letter-reason", "r"),
            ("dead-letter-description", "d"u8.ToArray()), ("dead-letter-exception-type", "t"),
            ("dead-letter-exception", "e"), ("dead-letter-deliveries", 3L), ("dead-letter-queue", "q"), ("dead-letter-time", new AmqpTimestamp(1_769_854_830)));
        letter.Timestamp = new AmqpTimestamp(1_769_854_800);
        letter.CorrelationId = "c-1";

        DeadLetter record = RabbitMqHeaders.Record(letter, "m-1", "r", DateTimeOffset.MaxValue);

        record
            .ToJson()
            .ShouldBe(
                """{"sourceId":"m-1","source":"rabbitmq","route":"","reason":"r","description":"d","exceptionType":"t","exception":"e","attempts":3,"firstSeen":"2026-01-31T10:20:00+00:00","lastSeen":"2026-01-31T10:20:30+00:00","attributes":{"tenant":"north","n":"7"},"systemProperties":{"correlation-id":"c-1"}}""");
        RabbitMqHeaders.FindWithoutText(letter).ShouldBeNull();
    }

    [Fact]
    public void Record_OfWhatTheBrokerMoved_HasItsTime()
    {
        BasicProperties letter = With(
            ("table", new Dictionary<string, object?>()),
            ("x-death", new List<object?> { new Dictionary<string, object?>(StringComparer.Ordinal) { ["time"] = new AmqpTimestamp(1_769_854_830) } }));

        DeadLetter record = RabbitMqHeaders.Record(letter, "m-1", string.Empty, DateTimeOffset.MaxValue);

        (record.Reason, record.FirstSeen, record.LastSeen, record.Attempts).ShouldBe(
            ("unspecified", DateTimeOffset.FromUnixTimeSeconds(1_769_854_830), DateTimeOffset.FromUnixTimeSeconds(1_769_854_830), 1));
        RabbitMqHeaders.FindWithoutText(letter).ShouldBe("table");
    }

    private static BasicProperties With(params (string Name, object? Value)[] headers) =>
        new() { Headers = headers.ToDictionary(header => header.Name, header => header.Value, StringComparer.Ordinal) };
}
