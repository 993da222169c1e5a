
namespace Messaging.Aws.Sqs.Wire;

/// <summary>What became of one entry of a batch call. The default value is a failure, so that nothing unanswered passes for done.</summary>
/// <param name="Succeeded">The service confirmed the entry.</param>
/// <param name="Kind">What a failure means; <see cref="AwsErrorKind.None"/> on success. Transient when the service takes the blame or did not answer for the entry.</param>
/// <param name="Code">The error code without prefix; null on success.</param>
/// <param name="Detail">The service's message: at most 256 bytes of it, escaped; null on success.</param>
/// <param name="SenderFault">The service says that the request is to blame.</param>
/// <param name="MessageId">Sends only: the id of the new message.</param>
internal readonly record struct BatchEntryResult(
    bool Succeeded,
    AwsErrorKind Kind,
    string? Code = null,
    string? Detail = null,
    bool SenderFault = false,
    string? MessageId = null)
{
    /// <summary>The response says nothing about the entry: it may or may not have been carried out.</summary>
    public static BatchEntryResult Unanswered => new(Succeeded: false, AwsErrorKind.Transient, "Unanswered", "The response has no result for this entry.");
}
