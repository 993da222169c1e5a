using System.Text;

namespace Messaging.Tests.Aws.Sqs.Wire;

/// <summary>Receive responses as the service writes them.</summary>
internal static class ReceiveResponses
{
    /// <summary>A message with all parts; the body is the inside of a JSON string.</summary>
    public static string Message(string escapedBody, string id = "id-1", string md5 = "") =>
        $$$$"""
        {"MessageId":"{{{{id}}}}","ReceiptHandle":"handle\/{{{{id}}}}==","MD5OfBody":"{{{{md5}}}}","Body":"{{{{escapedBody}}}}",
        "Attributes":{"SenderId":"AIDA","ApproximateReceiveCount":"3","SentTimestamp":"1792000000123","ApproximateFirstReceiveTimestamp":"1792000001456","MessageGroupId":"group-7","MessageDeduplicationId":"dedup-9","AWSTraceHeader":"Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1"},
        "MD5OfMessageAttributes":"x","MessageAttributes":{"trace":{"DataType":"String","StringValue":"a\"b\u00e9"},"raw":{"DataType":"Binary","BinaryValue":"AAH/"},"n":{"DataType":"Number","StringValue":"12.5","StringListValues":[]}}}
        """;

    public static string Of(params string[] messages) => $"{{\"Messages\":[{string.Join(',', messages)}]}}";

    public static byte[] Utf8(string text) => Encoding.UTF8.GetBytes(text);
}
