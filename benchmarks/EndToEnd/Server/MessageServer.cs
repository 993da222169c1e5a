using System.IO.Compression;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Text.Json;
using Benchmarks.Aws.Wire;

namespace Benchmarks.EndToEnd.Server;

/// <summary>
/// SQS and S3 as far as a worker needs them, over loopback: it parses every request, delivers messages with visibility timeouts,
/// deletes by the newest handle, keeps every object's bytes, refuses to replace one, and compares each object with its message.
/// It verifies no signature. Cheap, so that the client's cost dominates. Threads: one lock around everything.
/// </summary>
internal sealed class MessageServer : IDisposable
{
    private readonly Socket _listener = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
    private readonly Lock _lock = new();
    private readonly ObjectStore _objects = new();
    private readonly Dictionary<string, MessageQueue> _queues = [];
    private readonly Dictionary<int, MessageQueue> _generations = [];
    private readonly MemoryStream _lines = new();
    private readonly SqsCalls _sqs;

    public MessageServer()
    {
        _sqs = new SqsCalls(QueueOf);
        _listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        _listener.Listen(1024);
    }

    /// <summary>How long a PUT waits for its answer; its object is stored immediately.</summary>
    public TimeSpan PutLatency { get; init; }

    public int Port => ((IPEndPoint)_listener.LocalEndPoint!).Port;

    /// <summary>Serves until it is disposed.</summary>
    public async Task RunAsync()
    {
        try
        {
            while (true)
            {
                Socket socket = await _listener.AcceptAsync();
                _ = new ServerConnection(socket, this).RunAsync();
            }
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            // Disposed.
        }
    }

    /// <summary>Answers one request.</summary>
    /// <param name="head">The request.</param>
    /// <param name="body">Its body; may be written to.</param>
    /// <param name="answer">Where the answer goes.</param>
    /// <param name="mayWait">False to answer immediately, even without a message.</param>
    /// <param name="wait">The task to wait for before calling again.</param>
    /// <returns>False when there is nothing to answer yet.</returns>
    public bool TryHandle(in RequestHead head, Span<byte> body, IAnswer answer, bool mayWait, out Task wait)
    {
        wait = Task.CompletedTask;
        lock (_lock)
        {
            if (!head.Target.IsEmpty)
            {
                return _sqs.TryHandle(head.Target, body, answer, mayWait, out wait);
            }

            if (head.Method.SequenceEqual("PUT"u8))
            {
                Put(head, body, answer);
            }
            else if (head.Path.StartsWith("/control/"u8))
            {
                Control(head.Path["/control/"u8.Length..], answer);
            }
            else
            {
                Get(head, answer);
            }

            return true;
        }
    }

    public void Dispose() => _listener.Dispose();

    private void Put(in RequestHead head, Span<byte> body, IAnswer answer)
    {
        int length = head.IsChunked ? AwsChunks.Decode(body) : body.Length;
        if (length != head.DecodedLength)
        {
            answer.WriteEmpty("400 Bad Request"u8);
            return;
        }

        body = body[..length];

        ReadOnlySpan<byte> path = PathOf(head);
        if (!_objects.TryPut(path, body, head.OnlyIfAbsent))
        {
            answer.WriteEmpty("412 Precondition Failed"u8);
            return;
        }

        UInt128 md5 = MessageBody.Md5(body);
        ReadOnlySpan<byte> name = path[(path.LastIndexOf((byte)'/') + 1)..];
        if (name.EndsWith(".json"u8))
        {
            Stored(name[..^".json"u8.Length], md5);
        }
        else if (name.EndsWith(".ndjson.gz"u8))
        {
            StoredLines(body);
        }

        answer.Write("HTTP/1.1 200 OK\r\nETag: \""u8);
        answer.WriteHex(md5);
        answer.Write("\"\r\nContent-Length: 0\r\n\r\n"u8);
    }

    private void StoredLines(ReadOnlySpan<byte> bundle)
    {
        _lines.SetLength(0);
        using (GZipStream gzip = new(new MemoryStream(bundle.ToArray()), CompressionMode.Decompress))
        {
            gzip.CopyTo(_lines);
        }

        ReadOnlySpan<byte> rest = _lines.GetBuffer().AsSpan(0, (int)_lines.Length);
        for (int end = rest.IndexOf((byte)'\n'); end >= 0; end = rest.IndexOf((byte)'\n'))
        {
            Stored(MessageBody.IdOf(rest[..end]), MessageBody.Md5(rest[..end]));
            rest = rest[(end + 1)..];
        }
    }

    private void Stored(ReadOnlySpan<byte> id, UInt128 md5)
    {
        if (MessageBody.TryReadId(id, out int generation, out int index)
            && _generations.TryGetValue(generation, out MessageQueue? queue)
            && queue.Generation == generation)
        {
            queue.Stored(index, md5);
        }
    }

    /// <summary>GET or HEAD of an object; GET of a bucket lists nothing, which is enough for a worker's check at start.</summary>
    private void Get(in RequestHead head, IAnswer answer)
    {
        if (head.Path.Contains((byte)'?'))
        {
            ReadOnlySpan<byte> empty = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Name>bucket</Name><KeyCount>0</KeyCount><MaxKeys>1</MaxKeys><IsTruncated>false</IsTruncated></ListBucketResult>"u8;
            answer.Write("HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\nContent-Length: "u8);
            answer.WriteNumber(empty.Length);
            answer.Write("\r\n\r\n"u8);
            answer.Write(empty);
            return;
        }

        if (!_objects.TryGet(PathOf(head), out ReadOnlyMemory<byte> found))
        {
            answer.WriteEmpty("404 Not Found"u8);
            return;
        }

        answer.Write("HTTP/1.1 200 OK\r\nETag: \""u8);
        answer.WriteHex(MessageBody.Md5(found.Span));
        answer.Write("\"\r\nContent-Length: "u8);
        answer.WriteNumber(found.Length);
        answer.Write("\r\n\r\n"u8);
        if (head.Method.SequenceEqual("GET"u8))
        {
            answer.Write(found.Span);
        }
    }

    /// <summary>fill/QUEUE/COUNT begins a round, totals/QUEUE returns its progress.</summary>
    private void Control(ReadOnlySpan<byte> command, IAnswer answer)
    {
        string[] words = Encoding.ASCII.GetString(command).Split('/');
        switch (words)
        {
            case ["fill", var name, var count]:
                if (!_queues.TryGetValue(name, out MessageQueue? queue))
                {
                    _queues[name] = queue = new MessageQueue(name);
                }

                int generation = _generations.Count + 1;
                _objects.Clear();
                _generations[generation] = queue;
                queue.Fill(generation, int.Parse(count, System.Globalization.CultureInfo.InvariantCulture));
                answer.WriteEmpty("200 OK"u8);
                break;

            case ["totals", var name]:
                int at = answer.BeginJson("200 OK"u8);
                answer.Write(JsonSerializer.SerializeToUtf8Bytes(QueueOf(name).Totals(), EndToEndJson.Default.QueueTotals));
                answer.EndJson(at);
                break;

            default:
                answer.WriteEmpty("404 Not Found"u8);
                break;
        }
    }

    private MessageQueue QueueOf(string name)
    {
        if (!_queues.TryGetValue(name, out MessageQueue? queue))
        {
            _queues[name] = queue = new MessageQueue(name);
        }

        return queue;
    }

    private static ReadOnlySpan<byte> PathOf(in RequestHead head)
    {
        int query = head.Path.IndexOf((byte)'?');
        return query < 0 ? head.Path : head.Path[..query];
    }
}
