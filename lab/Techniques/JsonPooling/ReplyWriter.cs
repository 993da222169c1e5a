using System.Text.Json;
using Quayside.Pipeline.Buffers;

namespace Lab.Techniques.JsonPooling;

/// <summary>Writes replies into rented buffers with a reused writer. Threads: one at a time.</summary>
internal sealed class ReplyWriter : IDisposable
{
    // A writer needs a destination; it gets another one before every use.
    private readonly Utf8JsonWriter _writer = new(Stream.Null, new JsonWriterOptions { Encoder = ReplyJson.Encoder });

    /// <returns>The JSON; the caller owns it.</returns>
    public PooledBuffer Write(Reply reply)
    {
        PooledBuffer buffer = BufferPool.Shared.Rent();
        try
        {
            _writer.Reset(buffer);
            _writer.WriteStartObject();
            _writer.WriteString("Id"u8, reply.Id);
            _writer.WriteString("Sender"u8, reply.Sender);
            _writer.WriteNumber("Attempt"u8, reply.Attempt);
            _writer.WriteBoolean("Final"u8, reply.Final);
            _writer.WriteStartArray("Lines"u8);
            foreach (string line in reply.Lines)
            {
                _writer.WriteStringValue(line);
            }

            _writer.WriteEndArray();
            _writer.WriteEndObject();
            _writer.Flush();
        }
        catch
        {
            buffer.Dispose();
            throw;
        }

        return buffer;
    }

    public void Dispose() => _writer.Dispose();
}
