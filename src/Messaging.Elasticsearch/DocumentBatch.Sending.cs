using System.Security.Cryptography;
using System.Text;

namespace Quayside.Messaging.Elasticsearch;

/// <content>The request's body: the lines of the documents that are sent.</content>
internal sealed partial class DocumentBatch
{
    /// <summary>Bytes of the lines of the next <paramref name="count"/> pending documents.</summary>
    public long BytesOf(int count)
    {
        long bytes = 0;
        for (int i = 0; i < count; i++)
        {
            bytes += _starts[_pending[i] + 1] - _starts[_pending[i]];
        }

        return bytes;
    }

    /// <summary>Writes the lines of the next <paramref name="count"/> pending documents; adjacent documents are written together.</summary>
    public async Task WriteAsync(Stream stream, int count, CancellationToken cancellationToken)
    {
        for (int i = 0; i < count;)
        {
            int first = _pending[i];
            int behind = first + 1;
            while (++i < count && _pending[i] == behind)
            {
                behind++;
            }

            await WriteAsync(stream, _starts[first], _starts[behind], cancellationToken);
        }
    }

    /// <summary>The SHA-256 of the lines of the next <paramref name="count"/> pending documents, in lower-case hexadecimal digits.</summary>
    public async Task<string> HashAsync(int count, CancellationToken cancellationToken)
    {
        using SHA256 hash = SHA256.Create();
        await using CryptoStream stream = new(Stream.Null, hash, CryptoStreamMode.Write);
        await WriteAsync(stream, count, cancellationToken);
        await stream.FlushFinalBlockAsync(cancellationToken);
        return Convert.ToHexStringLower(hash.Hash!);
    }

    /// <summary>A document's id.</summary>
    public string IdOf(int document) => Encoding.ASCII.GetString(ActionLine.IdOf(Slice(_starts[document], _starts[document + 1]).Span));

    /// <summary>A document's JSON without its action line: a borrow when it is in one segment, otherwise a copy.</summary>
    public ReadOnlyMemory<byte> JsonOf(int document)
    {
        ReadOnlyMemory<byte> lines = Slice(_starts[document], _starts[document + 1]);
        return lines[(lines.Span.IndexOf(NewLine[0]) + 1)..^1];
    }

    private async Task WriteAsync(Stream stream, int from, int to, CancellationToken cancellationToken)
    {
        int begin = 0;
        foreach (Segment segment in _segments)
        {
            int end = begin + segment.Length;
            if (end > from && begin < to)
            {
                int skip = Math.Max(from - begin, 0);
                await stream.WriteAsync(segment.Bytes.AsMemory(skip, Math.Min(to - begin, segment.Length) - skip), cancellationToken);
            }

            begin = end;
        }
    }

    private ReadOnlyMemory<byte> Slice(int from, int to)
    {
        byte[]? copy = null;
        int begin = 0;
        foreach (Segment segment in _segments)
        {
            int end = begin + segment.Length;
            if (end > from && begin < to)
            {
                int skip = Math.Max(from - begin, 0);
                ReadOnlyMemory<byte> part = segment.Bytes.AsMemory(skip, Math.Min(to - begin, segment.Length) - skip);
                if (part.Length == to - from)
                {
                    return part;
                }

                copy ??= new byte[to - from];
                part.CopyTo(copy.AsMemory(Math.Max(begin, from) - from));
            }

            begin = end;
        }

        return copy;
    }
}
