using System.Text;
using System.Text.Json;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Elasticsearch.BulkResponses;

/// <summary>One failed item of a bulk response. Its texts are borrowed JSON strings, decoded only on request.</summary>
internal ref struct BulkItem
{
    /// <summary>Maximum characters of a text from the response.</summary>
    public const int MaxText = 256;

    /// <summary>Index of the item in the response, from 0.</summary>
    public int Index;

    /// <summary>HTTP status, 100 to 599; 0 until it is read.</summary>
    public int Status;

    public bool HasError;

    /// <summary>True when the document is in the failure store of a data stream instead: its status then is a success.</summary>
    public bool IsSetAside;

    // With their quotes; empty when the response lacks the value or it is not a string.
    public ReadOnlySpan<byte> Id;
    public ReadOnlySpan<byte> Type;
    public ReadOnlySpan<byte> Reason;
    public ReadOnlySpan<byte> CauseReason;

    /// <summary>True when the error's type is this text.</summary>
    public readonly bool IsType(ReadOnlySpan<byte> type) => IsText(Type, type);

    /// <summary>True when the id is this text.</summary>
    public readonly bool IsId(ReadOnlySpan<byte> id) => IsText(Id, id);

    /// <summary>The id, unescaped and complete; empty when there is none.</summary>
    public readonly string ReadId() => Decode(Id);

    /// <summary>The error's type, bounded and escaped; may be empty.</summary>
    public readonly string ReadType() => IsSetAside ? "failure_store" : Show(Type);

    /// <summary>The error's reason, bounded and escaped; may be empty. OpenSearch and Elasticsearch 7 say why only in the cause.</summary>
    public readonly string ReadReason() => IsSetAside ? "It could not be indexed, and is in the failure store of the data stream."
        : IsText(Reason, "failed to parse"u8) && !CauseReason.IsEmpty ? Bound($"failed to parse: {Show(CauseReason)}")
        : Show(Reason);

    /// <summary>True when the reader is at this text; half a surrogate pair equals no text.</summary>
    public static bool IsText(scoped in Utf8JsonReader reader, ReadOnlySpan<byte> text)
    {
        try
        {
            return reader.ValueTextEquals(text);
        }
        catch (InvalidOperationException)
        {
            return false;
        }
    }

    private static bool IsText(ReadOnlySpan<byte> json, ReadOnlySpan<byte> text)
    {
        Utf8JsonReader reader = new(json, isFinalBlock: false, state: default);
        return reader.Read() && IsText(reader, text);
    }

    private static string Decode(ReadOnlySpan<byte> json)
    {
        Utf8JsonReader reader = new(json, isFinalBlock: false, state: default);
        try
        {
            return reader.Read() ? reader.GetString()! : string.Empty;
        }
        catch (InvalidOperationException)
        {
            // Half a surrogate pair, or bytes that are not UTF-8: the text keeps its escapes.
            return Encoding.UTF8.GetString(json[1..^1]);
        }
    }

    private static string Show(ReadOnlySpan<byte> json) => Bound(UntrustedText.Shorten(Decode(json)));

    private static string Bound(string text) => text.Length > MaxText ? text[..MaxText] : text;
}

/// <summary>Receives the failed items of a bulk response, in their order.</summary>
internal interface IBulkItems
{
    /// <summary>Receives an item with a status of 300 or more, or with an error.</summary>
    /// <param name="item">A borrow of this call. It is valid only if the whole response turns out to be valid.</param>
    void Failed(in BulkItem item);
}
