using System.Text;
using Quayside.Messaging.Archive.Headers;
using Quayside.Messaging.Archive.ObjectKeys;
using Quayside.Pipeline.Buffers;

namespace Benchmarks.Keys;

/// <summary>
/// The worker's template, from values that are already strings. The worker never has strings, so the conversion to the UTF-8 that the
/// template needs is part of the cost.
/// </summary>
internal sealed class WorkerKeyOfObject
{
    private readonly KeyTemplate _template;
    private readonly ArchiveHeader _header = new();
    private readonly byte[] _values = new byte[4_096];

    public WorkerKeyOfObject() => _template = KeyTemplate.TryCompile(new ArchiveOptions(), out KeyTemplate? template, out _)
        ? template
        : throw new InvalidOperationException("The default template does not compile.");

    /// <returns>The key's length in bytes.</returns>
    public int Length(KeyMessage message)
    {
        using PooledBuffer key = Write(message);
        return key.Length;
    }

    public string Text(KeyMessage message)
    {
        using PooledBuffer key = Write(message);
        return Encoding.ASCII.GetString(key.WrittenSpan);
    }

    private PooledBuffer Write(KeyMessage message)
    {
        _header.Begin(_values, _template.Properties.Length);
        int at = 0;
        for (int slot = 0; slot < _template.Properties.Length; slot++)
        {
            ref HeaderValue value = ref _header.Slot(slot);
            string? text = null;
            switch (_template.Properties[slot].Name)
            {
                case nameof(KeyMessage.EventDateUtc) when message.EventDateUtc is { } date:
                    value.Date = new HeaderDate((ushort)date.Year, (byte)date.Month, (byte)date.Day, (byte)date.Hour, (byte)date.Minute, (byte)date.Second);
                    break;
                case nameof(KeyMessage.Product):
                    text = message.Product;
                    break;
                case nameof(KeyMessage.SiteKey):
                    text = message.SiteKey;
                    break;
                case nameof(KeyMessage.EventName):
                    text = message.EventName;
                    break;
                case nameof(KeyMessage.MessageId):
                    text = message.MessageId;
                    break;
            }

            value.Start = at;
            value.Length = Encoding.UTF8.GetBytes(text, _values.AsSpan(at));
            at += value.Length;
        }

        PooledBuffer key = BufferPool.Shared.Rent(_template.LongestKeyBytes);
        if (!_template.TryWrite(_header, default, key, out Poison poison))
        {
            throw new InvalidOperationException($"The message has no key: {poison}.");
        }

        _header.Reset();
        return key;
    }
}
