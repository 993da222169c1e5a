using System.Text;
using System.Text.Json;
using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.Sqs.Wire;

namespace Messaging.Tests.Aws.Sqs.Wire;

public sealed class BatchResponseReaderTests
{
    [Fact]
    public void Read_AllAnswered_MapsByIdNotByOrder()
    {
        BatchEntryResult[] results = Read(
            3, """{"Failed":[{"Id":"1","Code":"ReceiptHandleIsInvalid","Message":"bad\u0007","SenderFault":true}],"Successful":[{"Id":"2","MessageId":"m-2"},{"Id":"0"}]}""");

        results[0].ShouldBe(new BatchEntryResult(Succeeded: true, AwsErrorKind.None));
        results[1].ShouldBe(new BatchEntryResult(Succeeded: false, AwsErrorKind.Rejected, "ReceiptHandleIsInvalid", "bad\\u0007", SenderFault: true));
        results[2].ShouldBe(new BatchEntryResult(Succeeded: true, AwsErrorKind.None, MessageId: "m-2"));
    }

    [Theory]
    [InlineData("{}")]
    [InlineData("""{"Successful":null,"Failed":null}""")]
    [InlineData("""{"Successful":[{"Id":"2"},{"Id":"-1"},{"Id":"00"},{"Id":0},{"NoId":"0"},{"Id":null}]}""")]
    public void Read_EntriesMissing_CountAsFailed(string json)
    {
        BatchEntryResult[] results = Read(2, json);

        results.ShouldAllBe(r => r == BatchEntryResult.Unanswered);
        results[0].Succeeded.ShouldBeFalse();
        results[0].Kind.ShouldBe(AwsErrorKind.Transient);
    }

    [Theory]
    [InlineData("""{"Successful":[{"Id":"0"}],"Failed":[{"Id":"0","Code":"InternalError","SenderFault":false}]}""")]
    [InlineData("""{"Failed":[{"Id":"0","Code":"InternalError","SenderFault":false}],"Successful":[{"Id":"0"}]}""")]
    public void Read_EntryBothSuccessfulAndFailed_HasFailed(string json)
    {
        Read(1, json)[0].Succeeded.ShouldBeFalse();
    }

    [Theory]
    [InlineData("InternalError", true, nameof(AwsErrorKind.Transient))]
    [InlineData("SomethingNew", false, nameof(AwsErrorKind.Transient))]
    [InlineData("SomethingNew", true, nameof(AwsErrorKind.Rejected))]
    [InlineData("AWS.SimpleQueueService.RequestThrottled", true, nameof(AwsErrorKind.Throttled))]
    [InlineData("AccessDenied", true, nameof(AwsErrorKind.Refused))]
    public void Read_Failure_IsClassified(string code, bool senderFault, string expected)
    {
        Read(1, $$"""{"Failed":[{"Id":"0","Code":"{{code}}","SenderFault":{{(senderFault ? "true" : "false")}}}]}""")[0].Kind.ToString().ShouldBe(expected);
    }

    [Theory]
    [InlineData(1, "")]
    [InlineData(1, "[]")]
    [InlineData(1, "{\"Successful\":[{\"Id\":\"0\"}")]
    [InlineData(1, "{\"Successful\":[{\"Id\":\"0\"}]} x")]
    [InlineData(2, """{"Successful":[{"Id":"0"},[{"Id":"1"}]],"Failed":[{"Id":"0"}]}""")]
    [InlineData(2, """{"Successful":[{"Id":"0"},1]}""")]
    [InlineData(2, """{"Successful":[{"Id":"0"},[{,""")]
    public void Read_NotABatchResponseOrAnEntryThatIsNoObject_Throws(int count, string json)
    {
        Should.Throw<JsonException>(() => Read(count, json));
    }

    [Fact]
    public void Default_IsAFailure()
    {
        default(BatchEntryResult).Succeeded.ShouldBeFalse();
    }

    [Fact]
    public void Read_NamesWithHalfASurrogatePair_AreUnknown()
    {
        BatchEntryResult[] results = Read(1, """{"\ud800":[],"Successful":[{"Id\udc00":"1","Id":"0"}]}""");

        results[0].Succeeded.ShouldBeTrue();
    }

    private static BatchEntryResult[] Read(int count, string json)
    {
        BatchEntryResult[] results = new BatchEntryResult[count];
        BatchResponseReader.Read(Encoding.UTF8.GetBytes(json), results);
        return results;
    }
}
