using System.Text;
using Quayside.Messaging.Aws.Sqs.Wire;
using Tests.Shared;

namespace Messaging.Tests.Aws.Sqs;

public sealed class SqsReceivedMessageTests
{
    // The arrays are kept for the next message, but not their lengths. The reference to the source never changes. The settled
    // state remains until the object is opened again, so that a second settlement throws.
    private static readonly string[] Kept = ["SqsReceivedMessage.<owner>P", "SqsReceivedMessage._id", "SqsReceivedMessage._handle", "ReceivedMessage._version"];

    [Fact]
    public void Reset_EveryFieldSet_ClearsAllButTheReusedFields()
    {
        SqsReceivedMessage used = new(owner: null);
        SqsReceivedMessage fresh = new(owner: null);
        NonDefault.Fill(used);
        NonDefault
            .Differences(used, fresh)
            .Count()
            .ShouldBe(NonDefault.FieldsOf(typeof(SqsReceivedMessage)).Count(field => !field.IsInitOnly), "the test must have changed every field");

        used.Reset();

        NonDefault.Differences(used, fresh).ShouldBe(Kept, ignoreOrder: true);
        used.SourceId.Length.ShouldBe(0);
        used.Handle.Length.ShouldBe(0);
    }

    [Fact]
    public void KeyOf_Uuid_IsTheUuid()
    {
        Guid id = Guid.NewGuid();

        SqsReceivedMessage.KeyOf(Encoding.ASCII.GetBytes(id.ToString())).ShouldBe(id);
        SqsReceivedMessage.KeyOf(Encoding.ASCII.GetBytes(id.ToString().ToUpperInvariant())).ShouldBe(id);
    }

    [Theory]
    [InlineData("1")]
    [InlineData("message-7")]
    [InlineData("5fea7756-0ea4-451a-a703-a558b933e274x")]
    [InlineData("{5fea7756-0ea4-451a-a703-a558b933e274}")]
    public void KeyOf_OtherIds_IsEqualOnlyForEqualIds(string id)
    {
        Guid key = SqsReceivedMessage.KeyOf(Encoding.ASCII.GetBytes(id));

        SqsReceivedMessage.KeyOf(Encoding.ASCII.GetBytes(id)).ShouldBe(key);
        SqsReceivedMessage.KeyOf(Encoding.ASCII.GetBytes(id + "0")).ShouldNotBe(key);
        key.ShouldNotBe(Guid.Empty);
        key.ShouldNotBe(Guid.Parse("5fea7756-0ea4-451a-a703-a558b933e274"));
    }
}
