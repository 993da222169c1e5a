using System.Text.Json;
using Quayside.Pipeline.Buffers;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Http.Source;

/// <summary>
/// The results of an NDJSON request, kept as JSON because the status depends on all of them. About 80 bytes per line, and 600 with the longest id. Threads:
/// one.
/// </summary>
internal sealed class NdjsonResults : IDisposable
{
    private readonly HttpAnswers _answers;
    private readonly Utf8JsonWriter _json;
    private readonly bool _stores;
    private PooledBuffer? _buffer;

    public NdjsonResults(BufferPool buffers, HttpAnswers answers, bool stores)
    {
        _stores = stores;
        _answers = answers;
        _buffer = buffers.Rent();
        _json = answers.RentWriter(_buffer);
        _json.WriteStartArray();
    }

    public int Stored { get; private set; }

    public int DeadLettered { get; private set; }

    public int TooLarge { get; private set; }

    public int NotStored { get; private set; }

    /// <summary>The longest delay of an abandoned line.</summary>
    public TimeSpan RetryAfter { get; private set; }

    public int Count => Stored + DeadLettered + TooLarge + NotStored;

    /// <summary>Bytes of the results so far.</summary>
    public long Length => Count == 0 ? 0 : _json.BytesCommitted + _json.BytesPending;

    public void AddTooLarge(int line)
    {
        TooLarge++;
        _json.WriteStartObject();
        _json.WriteNumber("line"u8, line);
        _json.WriteString("status"u8, "too-large"u8);
        _json.WriteEndObject();
    }

    public void Add(HttpMessage message, in Settlement settlement)
    {
        _json.WriteStartObject();
        _json.WriteNumber("line"u8, message.Line);
        _json.WriteString("id"u8, message.SourceId.Span);
        switch (settlement.Kind)
        {
            case SettlementKind.Complete:
                Stored++;
                _json.WriteString("status"u8, HttpAnswers.CompleteStatus(_stores));
                break;
            case SettlementKind.DeadLetter:
                DeadLettered++;
                _json.WriteString("status"u8, "dead-lettered"u8);
                _json.WriteString("reason"u8, settlement.Reason);
                _json.WriteString("description"u8, HttpAnswers.DescriptionOf(settlement));
                break;
            default:
                NotStored++;
                RetryAfter = settlement.Delay > RetryAfter ? settlement.Delay : RetryAfter;
                _json.WriteString("status"u8, "not-stored"u8);
                break;
        }

        _json.WriteEndObject();
    }

    /// <summary>Writes the counts and the results into an open JSON object.</summary>
    public void WriteTo(Utf8JsonWriter json)
    {
        json.WriteNumber("stored"u8, Stored);
        json.WriteNumber("deadLettered"u8, DeadLettered);
        json.WriteNumber("tooLarge"u8, TooLarge);
        json.WriteNumber("notStored"u8, NotStored);
        json.WritePropertyName("results"u8);
        _json.WriteEndArray();
        _json.Flush();
        json.WriteRawValue(_buffer!.WrittenSpan, skipInputValidation: true);
    }

    public void Dispose()
    {
        if (_buffer is not null)
        {
            _answers.ReturnWriter(_json);
            _buffer.Dispose();
            _buffer = null;
        }
    }
}
