namespace Messaging.Aws.Sqs.Redrive;

/// <summary>Where a dead letter of the queue comes from, as seen by a running redrive.</summary>
internal enum DeadLetterOrigin
{
    /// <summary>It was in the queue when the redrive began.</summary>
    Before,

    /// <summary>The redrive sent its message to the queue, and the message was dead-lettered again.</summary>
    ThisRun,

    /// <summary>It was dead-lettered while the redrive ran.</summary>
    Meanwhile,
}
