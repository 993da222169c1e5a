using System.Buffers;
using System.Text;
using Messaging.Json;
using Messaging.Telemetry;

namespace Messaging.CloudFront.Elasticsearch.BulkResponses;

/// <summary>One item of a bulk response that did not succeed. Its texts are places in the response; they become strings only when asked for.</summary>
/// <param name="window">The part of the response that holds the item.</param>
/// <param name="index">Which item, from 0.</param>
/// <param name="result">What it says.</param>
internal readonly ref struct BulkItem(ReadOnlySpan<byte> window, int index, in BulkResult result)
{
    /// <summary>The most characters of a text from the response.</summary>
    public const int MaxText = 256;

    private readonly ReadOnlySpan<byte> _window = window;
    private readonly JsonText? _id = result.Id;
    private readonly JsonText? _type = result.Type;
    private readonly JsonText? _reason = result.Reason;

    /// <summary>Which item, from 0.</summary>
    public int Index { get; } = index;

    /// <summary>HTTP status, 100 to 599.</summary>
    public int Status { get; } = result.Status;

    public bool HasId => _id is not null;

    /// <summary>True when the error's type is this text, which needs no escapes.</summary>
    public bool IsType(ReadOnlySpan<byte> type) => _type is { HasEscapes: false } text && text.In(_window).SequenceEqual(type);

    /// <summary>True when the id is this text, which needs no escapes.</summary>
    public bool IsId(ReadOnlySpan<byte> id) => _id is { HasEscapes: false } text && text.In(_window).SequenceEqual(id);

    /// <summary>True when the error's reason begins like this.</summary>
    public bool ReasonStartsWith(ReadOnlySpan<byte> start) => _reason is { } text && text.In(_window).StartsWith(start);

    /// <summary>The id, unescaped and whole; empty when there is none.</summary>
    public string ReadId() => Decode(_id, int.MaxValue);

    /// <summary>The error's type, fit to be shown; may be empty.</summary>
    public string ReadType() => Decode(_type, MaxText);

    /// <summary>The error's reason, fit to be shown; may be empty.</summary>
    public string ReadReason() => Decode(_reason, MaxText);

    private string Decode(JsonText? text, int most)
    {
        if (text is not { Length: > 0 } place)
        {
            return string.Empty;
        }

        ReadOnlySpan<byte> bytes = place.In(_window);

        // Half a surrogate pair stands for no character: such a text is shown as it was written.
        return !place.HasEscapes || place.HasLoneSurrogate ? Show(bytes, most) : Unescape(bytes, most);
    }

    private static string Unescape(ReadOnlySpan<byte> bytes, int most)
    {
        byte[] rented = ArrayPool<byte>.Shared.Rent(bytes.Length);
        try
        {
            return Show(rented.AsSpan(0, JsonEscapes.Unescape(bytes, rented)), most);
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(rented);
        }
    }

    private static string Show(ReadOnlySpan<byte> bytes, int most)
    {
        if (most == int.MaxValue)
        {
            return Encoding.UTF8.GetString(bytes);
        }

        string shown = UntrustedText.Shorten(bytes);
        return shown.Length > most ? shown[..most] : shown;
    }
}
