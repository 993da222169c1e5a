using System.Buffers;
using System.Globalization;
using System.IO.Pipelines;
using System.Net;
using System.Text;
using Proof.Simulation;
using Quayside.Messaging.Sockets.TcpLines;

namespace Proof.Models;

/// <summary>
/// One connection, over which lines go out in pieces, slowly or cut off, and their answers come back. The worker's process is reached through its
/// listener, without a socket.
/// </summary>
internal sealed class LineExchange : Exchange, ILineTransport
{
    public static readonly IPEndPoint Address = new(IPAddress.Loopback, 9082);

    // By the number of its line.
    private readonly Dictionary<int, QueuedMessage> _lines = [];
    private readonly List<QueuedMessage> _kept = [];
    private readonly HashSet<int> _answered = [];
    private readonly StringBuilder _answers = new();
    private readonly Pipe _toWorker = new();
    private readonly LineListener _listener;
    private readonly byte[] _bytes;
    private readonly bool _losesAnswer;

    // One for the whole connection, since its bytes do not overtake each other.
    private readonly TimeSpan _back;
    private bool _isBroken;

    public LineExchange(World world, QueuedMessage[] messages, LineListener listener, ProcessTime process)
        : base(world, process)
    {
        _listener = listener;
        _bytes = WriteLines(messages, _lines);
        _losesAnswer = world.Random.NextDouble() < world.QueueFaults.LostAnswer;
        _back = TimeSpan.FromMilliseconds(1 + (world.Random.NextDouble() * 20));
        Stream = new WorkerStream(this);
    }

    public IPEndPoint Peer => Address;

    public Stream Stream { get; }

    public override void Begin()
    {
        if (!_listener.TryAdd(this))
        {
            Break();
            return;
        }

        double fate = World.Random.NextDouble();
        bool breaks = fate < World.QueueFaults.LostRequest;
        bool stalls = !breaks && fate < World.QueueFaults.LostRequest + World.QueueFaults.Stall;
        int length = breaks || stalls ? World.Random.Next(_bytes.Length) : _bytes.Length;
        TimeSpan at = TimeSpan.Zero;
        for (int from = 0, to; from < length; from = to)
        {
            to = Math.Min(length, from + 1 + World.Random.Next(_bytes.Length));
            at += Pause(Fault.TcpIsSlow);
            byte[] piece = _bytes[from..to];
            World.Time.Schedule(at, () => Send(piece));
        }

        if (breaks)
        {
            World.Meets(Fault.TcpBreaks);
            World.Time.Schedule(at, Break);
        }
        else if (stalls)
        {
            World.Meets(Fault.TcpStalls);
        }
        else if (World.Random.Next(2) == 0)
        {
            // It waits for the answers with its own side closed.
            World.Time.Schedule(at, () => _toWorker.Writer.Complete());
        }
    }

    public override void Break()
    {
        End(_kept);
        _isBroken = true;
        _toWorker.Writer.Complete(new IOException("Connection reset by peer"));
    }

    public void TrySend(ReadOnlySpan<byte> bytes) => Answer(bytes.ToArray());

    public void EndSending() => AtSender(Close);

    /// <summary>The worker closes the connection.</summary>
    public void Dispose() => AtSender(Close);

    private void Send(byte[] piece)
    {
        if (!IsOver && Process.IsAlive)
        {
            _toWorker.Writer.Write(piece);
            _ = _toWorker.Writer.FlushAsync().AsTask();
        }
    }

    /// <summary>The sender sees the end of the answers, or needs no more of them.</summary>
    private void Close()
    {
        _toWorker.Writer.Complete();
        End(_kept);
    }

    private void Answer(byte[] bytes)
    {
        if (_isBroken)
        {
            throw new IOException("Broken pipe");
        }

        AtSender(() => Read(bytes));
    }

    private void AtSender(Action action) => World.Time.Schedule(_back, () =>
    {
        if (!IsOver)
        {
            action();
        }
    });

    private void Read(byte[] bytes)
    {
        if (_losesAnswer)
        {
            World.Meets(Fault.TcpLosesAnswer);
            Break();
            return;
        }

        _answers.Append(Encoding.ASCII.GetString(bytes));
        string[] lines = _answers.ToString().Split('\n');
        _answers.Clear().Append(lines[^1]);
        foreach (string[] answer in lines.SkipLast(1).Select(line => line.Split(' ')))
        {
            Read(answer);
        }

        if (_answered.Count == _lines.Count)
        {
            Close();
        }
    }

    private void Read(string[] answer)
    {
        if (_answered.Count == 0 && answer is ["error", "0", "too-many-connections"])
        {
            // Of an outage: messages in flight keep their connections, also those that the sender has broken. The worker closes this one.
            return;
        }

        int number = int.Parse(answer[1], CultureInfo.InvariantCulture);
        if (!_lines.TryGetValue(number, out QueuedMessage? message) || !_answered.Add(number))
        {
            World.Fail($"a sender of lines was answered '{string.Join(' ', answer)}', but has no such line, or was answered before");
        }
        else if (answer is ["ok", _] || answer is ["error", _, not ("stopping" or "unterminated")])
        {
            _kept.Add(message);
        }
    }

    /// <summary>The connection as the worker sees it.</summary>
    private sealed class WorkerStream(LineExchange connection) : Stream
    {
        private readonly Stream _reading = connection._toWorker.Reader.AsStream();

        public override bool CanRead => true;

        public override bool CanSeek => false;

        public override bool CanWrite => true;

        public override long Length => throw new NotSupportedException();

        public override long Position
        {
            get => throw new NotSupportedException();
            set => throw new NotSupportedException();
        }

        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
            _reading.ReadAsync(buffer, cancellationToken);

        public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
        {
            connection.Answer(buffer.ToArray());
            return ValueTask.CompletedTask;
        }

        public override void Flush()
        {
        }

        public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

        public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

        public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

        public override void SetLength(long value) => throw new NotSupportedException();
    }
}
