using System.Text;
using Quayside.Messaging.Archive.Headers;
using Quayside.Messaging.Archive.ObjectKeys;
using Quayside.Pipeline.Buffers;
using Quayside.Pipeline.Messages;

namespace Benchmarks.Keys;

/// <summary>The worker's own reader and template, as its archive stage calls them: message bytes to key bytes.</summary>
internal sealed class WorkerKey
{
    private readonly KeyTemplate _template;
    private readonly ArchiveHeaderReader _reader;
    private readonly ArchiveHeader _header = new();

    public static WorkerKey Full(string template = ArchiveOptions.DefaultTemplate) => new(BodyValidation.Full, template);

    public static WorkerKey HeaderOnly() => new(BodyValidation.HeaderOnly);

    public WorkerKey(BodyValidation validation, string template = ArchiveOptions.DefaultTemplate)
    {
        _template = KeyTemplate.TryCompile(new ArchiveOptions { Template = template }, out KeyTemplate? compiled, out _)
            ? compiled
            : throw new InvalidOperationException($"The template {template} does not compile.");
        _reader = _template.CreateReader(validation);
    }

    /// <returns>The key's length in bytes.</returns>
    public int Length(ReadOnlyMemory<byte> body, ReceivedMessage? message = null)
    {
        PooledBuffer key = Write(body, message);
        int length = key.Length;
        Release(key);
        return length;
    }

    public string Text(ReadOnlyMemory<byte> body, ReceivedMessage? message = null)
    {
        PooledBuffer key = Write(body, message);
        string text = Encoding.ASCII.GetString(key.WrittenSpan);
        Release(key);
        return text;
    }

    private PooledBuffer Write(ReadOnlyMemory<byte> body, ReceivedMessage? message)
    {
        PooledBuffer key = BufferPool.Shared.Rent(_template.LongestKeyBytes);
        if (!_reader.TryRead(body, _header, out Poison poison)
            || (message is not null && !_reader.TryReadSource(message, _header, out poison))
            || !_template.TryWrite(_header, default, key, out poison))
        {
            throw new InvalidOperationException($"The body is poison: {poison}.");
        }

        return key;
    }

    private void Release(PooledBuffer key)
    {
        _header.Reset();
        key.Dispose();
    }
}
