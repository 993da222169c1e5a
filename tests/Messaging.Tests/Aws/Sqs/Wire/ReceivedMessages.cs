using Quayside.Messaging.Aws.Sqs.Wire;

namespace Messaging.Tests.Aws.Sqs.Wire;

/// <summary>Messages without a source.</summary>
internal static class ReceivedMessages
{
    /// <summary>Clean objects for a receive.</summary>
    public static SqsReceivedMessage[] Clean(int count) => [.. Enumerable.Range(0, count).Select(_ => new SqsReceivedMessage(owner: null))];

    public static void ReleaseAll(this IEnumerable<SqsReceivedMessage> messages)
    {
        foreach (SqsReceivedMessage message in messages)
        {
            message.ReleaseBody();
        }
    }
}
