using System.Text.Json;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Aws.Sqs.Wire;

/// <summary>
/// Reads the response of a batch call whose entries have the ids "0" to "9". Allocates nothing for successful entries except the message
/// ids of sends.
/// </summary>
internal static class BatchResponseReader
{
    /// <summary>
    /// Fills in one result per entry of the request. An entry that the response does not mention is <see cref="BatchEntryResult.Unanswered"/>;
    /// one that is both successful and failed has failed.
    /// </summary>
    /// <exception cref="JsonException">The response is not a JSON object, or not a batch response.</exception>
    public static void Read(ReadOnlySpan<byte> json, Span<BatchEntryResult> results)
    {
        results.Fill(BatchEntryResult.Unanswered);
        Utf8JsonReader reader = new(json);
        Require(reader.Read() && reader.TokenType == JsonTokenType.StartObject, "The response is not a JSON object.");

        int failedMask = 0;
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            bool isFailed = reader.IsText("Failed"u8);
            bool isKnown = isFailed || reader.IsText("Successful"u8);
            reader.Read();
            if (!isKnown || reader.TokenType != JsonTokenType.StartArray)
            {
                reader.Skip();
                continue;
            }

            while (reader.Read() && reader.TokenType == JsonTokenType.StartObject)
            {
                (int index, BatchEntryResult result) = ReadEntry(ref reader, isFailed);
                if ((uint)index < (uint)results.Length && (isFailed || (failedMask & (1 << index)) == 0))
                {
                    results[index] = result;
                    failedMask |= isFailed ? 1 << index : 0;
                }
            }

            Require(reader.TokenType == JsonTokenType.EndArray, "An entry is not an object.");
        }

        // Throws if anything follows the object.
        reader.Read();
    }

    private static (int Index, BatchEntryResult Result) ReadEntry(ref Utf8JsonReader reader, bool isFailed)
    {
        int index = -1;
        string? code = null;
        string? detail = null;
        string? messageId = null;
        bool senderFault = false;
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            bool isId = reader.IsText("Id"u8);
            bool isCode = isFailed && reader.IsText("Code"u8);
            bool isDetail = isFailed && reader.IsText("Message"u8);
            bool isFault = isFailed && reader.IsText("SenderFault"u8);
            bool isMessageId = !isFailed && reader.IsText("MessageId"u8);
            reader.Read();
            if (isFault)
            {
                senderFault = reader.TokenType == JsonTokenType.True;
            }

            if (reader.TokenType != JsonTokenType.String)
            {
                reader.Skip();
            }
            else if (isId)
            {
                index = reader.ValueSpan is [>= (byte)'0' and <= (byte)'9'] ? reader.ValueSpan[0] - '0' : -1;
            }
            else if (isCode)
            {
                code = UntrustedText.Shorten(WireText.ToString(reader.ValueSpan));
            }
            else if (isDetail)
            {
                detail = UntrustedText.Shorten(WireText.ToString(reader.ValueSpan));
            }
            else if (isMessageId)
            {
                messageId = WireText.ToString(reader.ValueSpan);
            }
        }

        return (
            index, isFailed
                ? Failure(code ?? string.Empty, detail ?? string.Empty, senderFault)
                : new(Succeeded: true, AwsErrorKind.None, MessageId: messageId));
    }

    private static void Require(bool condition, string problem)
    {
        if (!condition)
        {
            throw new JsonException(problem);
        }
    }

    private static BatchEntryResult Failure(string code, string detail, bool senderFault)
    {
        string name = code[(code.LastIndexOf('.') + 1)..];
        AwsErrorKind kind = AwsError.KindOf(name, detail);
        AwsErrorKind unknown = senderFault ? AwsErrorKind.Rejected : AwsErrorKind.Transient;
        return new BatchEntryResult(Succeeded: false, kind == AwsErrorKind.Undecided ? unknown : kind, name, detail, senderFault);
    }
}

/// <summary>The result of one entry of a batch call. The default value is a failure, so that an unanswered entry never counts as successful.</summary>
/// <param name="Succeeded">The service confirmed the entry.</param>
/// <param name="Kind">What a failure means; <see cref="AwsErrorKind.None"/> on success. Transient when the service is to blame or did not mention the
/// entry.</param>
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
    /// <summary>The response does not mention the entry: it may or may not have been carried out.</summary>
    public static BatchEntryResult Unanswered => new(Succeeded: false, AwsErrorKind.Transient, "Unanswered", "The response has no result for this entry.");
}
