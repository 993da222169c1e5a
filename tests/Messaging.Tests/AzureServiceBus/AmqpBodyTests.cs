using System.Text;
using Azure.Core.Amqp;
using Quayside.Messaging.AzureServiceBus;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.AzureServiceBus;

public sealed class AmqpBodyTests
{
    [Fact]
    public void FromData_OneSection_IsNotCopied()
    {
        byte[] bytes = [1, 2, 3];

        ReadOnlyMemory<byte> body = AmqpBody.FromData([bytes]);

        body.ShouldBe((ReadOnlyMemory<byte>)bytes);
    }

    [Fact]
    public void FromData_SeveralSections_AreOneBodyInTheirOrder()
    {
        ReadOnlyMemory<byte>[] sections = [new byte[] { 1, 2 }, ReadOnlyMemory<byte>.Empty, new byte[] { 3 }];

        AmqpBody.FromData(sections).ToArray().ShouldBe([1, 2, 3]);
    }

    [Fact]
    public void FromData_NoSection_IsEmpty() => AmqpBody.FromData([]).IsEmpty.ShouldBeTrue();

    [Fact]
    public void FromValue_Text_IsUtf8() => AmqpBody.FromValue("{\"a\":\"\u20ac\"}").ToArray().ShouldBe(Encoding.UTF8.GetBytes("{\"a\":\"\u20ac\"}"));

    [Fact]
    public void FromValue_Binary_IsItself()
    {
        byte[] bytes = [0, 255, 1];

        AmqpBody.FromValue(bytes).ToArray().ShouldBe(bytes);
        AmqpBody.FromValue(new ArraySegment<byte>([9, 0, 255, 1, 9], 1, 3)).ToArray().ShouldBe(bytes);
        AmqpBody.FromValue(new ReadOnlyMemory<byte>(bytes)).ToArray().ShouldBe(bytes);
    }

    [Fact]
    public void FromValue_AnythingElse_IsPoisonThatNamesTheType()
    {
        (object? Value, string Type)[] values =
        [
            (null, "null"),
            (true, "Boolean"),
            (4711, "Int32"),
            (4711UL, "UInt64"),
            (1.5, "Double"),
            (DateTime.UnixEpoch, "DateTime"),
            (Guid.Empty, "Guid"),
            (new Dictionary<string, object>(StringComparer.Ordinal) { ["a"] = 1 }, "Dictionary`2"),
            (new List<object> { 1, 2 }, "List`1"),
        ];
        foreach ((object? value, string type) in values)
        {
            DeadLetterException exception = Should.Throw<DeadLetterException>(() => AmqpBody.FromValue(value));

            exception.Reason.ShouldBe("unsupported-body");
            exception.Message.ShouldStartWith($"The body is an AMQP value of type {type};");
        }
    }

    [Fact]
    public void Read_EachKindOfBody_IsBytesOrPoison()
    {
        AmqpBody.Read(AmqpMessageBody.FromData([new byte[] { 1 }, new byte[] { 2 }])).ToArray().ShouldBe([1, 2]);
        AmqpBody.Read(AmqpMessageBody.FromValue("a")).ToArray().ShouldBe("a"u8.ToArray());
        Should.Throw<DeadLetterException>(() => AmqpBody.Read(AmqpMessageBody.FromSequence([[1]]))).Message.ShouldStartWith("The body is an AMQP sequence;");
    }
}
