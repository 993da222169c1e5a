using System.Buffers;
using System.IO.Pipelines;
using System.Net.Sockets;
using Messaging.Sources;
using Messaging.Sources.Lines;

namespace Messaging.Sockets.TcpLines;

/// <content>Reading: bytes into the pipe, lines out of it, a slot per line.</content>
internal sealed partial class LineConnection
{
    // A read that fills its buffer doubles the next one, up to LargestRead. So an idle connection holds little, and a busy one makes few calls.
    private const int SmallestRead = 4 << 10;
    private const int LargestRead = 64 << 10;

    private readonly byte[] _prefix = new byte[ProxyHeader.PrefixLength];
    private int _prefixLength;
    private bool _isFirstLine = true;
    private bool _firstLineHasNul;

    private string _endOfStream = CloseReason.End;

    /// <summary>True once the connection began as another protocol's: an HTTP request, or a PROXY header.</summary>
    private bool IsForeign { get; set; }

    private ReadOnlySpan<byte> Prefix => _prefix.AsSpan(0, _prefixLength);

    private bool IsStopping => ReferenceEquals(_endOfStream, CloseReason.Stopping);

    /// <summary>True once lines are read; <see cref="Read"/> then completes soon after the drain has ended.</summary>
    public bool IsReading { get; private set; }

    private async Task<string> ReadToEndAsync(Stream stream, IMessageIntake intake)
    {
        IsReading = true;
        Pipe pipe = new(Pipes);
        Task filling = FillAndCloseAsync(stream, pipe.Writer);
        try
        {
            await ReadLinesAsync(pipe.Reader, intake);
        }
        finally
        {
            await pipe.Reader.CompleteAsync();
            await filling;
            _read.TrySetResult();
        }

        return _endOfStream;
    }

    private async Task FillAndCloseAsync(Stream stream, PipeWriter writer)
    {
        // Ends only the wait for bytes: bytes already read are processed even when the worker stops.
        using CancellationTokenSource reading = CancellationTokenSource.CreateLinkedTokenSource(_end.Token, _source.StopReading);
        try
        {
            await FillAsync(stream, writer, reading.Token);
        }
        catch (OperationCanceledException)
        {
            _endOfStream = _end.IsCancellationRequested ? CloseReason.Reset : CloseReason.Stopping;
        }
        catch (Exception exception) when (exception is IOException or SocketException or ObjectDisposedException)
        {
            _endOfStream = CloseReason.Reset;
        }
        finally
        {
            await writer.CompleteAsync();
        }
    }

    /// <summary>Reads into the pipe until the stream ends or the pipe's reader has ended.</summary>
    internal static async Task FillAsync(Stream stream, PipeWriter writer, CancellationToken cancellationToken)
    {
        int room = SmallestRead;
        while (true)
        {
            Memory<byte> memory = writer.GetMemory(room);
            int read = await stream.ReadAsync(memory[..Math.Min(memory.Length, LargestRead)], cancellationToken);
            if (read == 0)
            {
                return;
            }

            room = read >= room ? Math.Min(room * 2, LargestRead) : read < room / 4 ? Math.Max(room / 2, SmallestRead) : room;
            writer.Advance(read);
            FlushResult flushed = await writer.FlushAsync(CancellationToken.None);
            if (flushed.IsCompleted)
            {
                return;
            }
        }
    }

    private async Task ReadLinesAsync(PipeReader reader, IMessageIntake intake)
    {
        long kept = 0;
        while (true)
        {
            ReadResult result = await reader.ReadAsync(CancellationToken.None);
            long lines = _splitter.LineNumber;
            Volatile.Write(ref _waits, false);
            bool waited = false;
            ReadOnlySequence<byte> bytes = result.Buffer;
            KeepPrefix(bytes.Slice(kept));
            if (_isFirstLine && !result.IsCompleted && ProxyHeader.MayBegin(Prefix))
            {
                // A few bytes more decide whether the next line is one.
                kept = bytes.Length;
                reader.AdvanceTo(bytes.Start, bytes.End);
                Volatile.Write(ref _waits, true);
                continue;
            }

            kept = 0;
            long done = 0;
            try
            {
                while (done < bytes.Length && !IsForeign)
                {
                    waited |= await WaitForSpaceAsync();
                    ValueTask<SlotLease> reserving = intake.ReserveAsync(1, _source.Concurrency, _source.StopHandingIn);
                    waited |= !reserving.IsCompleted;
                    using SlotLease slots = await reserving;

                    // It may have filled up while this connection waited for a slot.
                    done += _source.InMemory.IsFull ? 0 : HandIn(bytes.Slice(done), slots);
                }
            }
            catch (OperationCanceledException) when (_source.StopHandingIn.IsCancellationRequested)
            {
                await LeaveOverAsync(reader, bytes.Slice(done), intake);
                return;
            }

            reader.AdvanceTo(bytes.End);
            if (result.IsCompleted || IsForeign)
            {
                await EndOfStreamAsync(intake);
                return;
            }

            if (waited || _splitter.LineNumber > lines)
            {
                Volatile.Write(ref _since, _source.Time.GetTimestamp());
            }

            Volatile.Write(ref _waits, true);
        }
    }

    /// <summary>Handles bytes not handed in when the drain ended: with acknowledgements the sender sends them again; otherwise they are spilled.</summary>
    private async ValueTask LeaveOverAsync(PipeReader reader, ReadOnlySequence<byte> rest, IMessageIntake intake)
    {
        if (_answers is not null)
        {
            TcpLinesLog.Unread(_source.Logger, _source.Route, Peer, rest.Length, "The sender must send every line without an answer again.");
            return;
        }

        bool isCompleted = false;
        while ((!isCompleted || !rest.IsEmpty) && !IsForeign)
        {
            foreach (LineMessage message in Cut(rest))
            {
                await _source.InMemory.ReturnAsync(message, TimeSpan.Zero);
            }

            // The connection is no longer read, so the pipe ends after its current bytes.
            reader.AdvanceTo(rest.End);
            ReadResult result = await reader.ReadAsync(CancellationToken.None);
            (rest, isCompleted) = (result.Buffer, result.IsCompleted);
            KeepPrefix(rest);
        }

        await EndOfStreamAsync(intake);
    }

    private List<LineMessage> Cut(ReadOnlySequence<byte> bytes)
    {
        DateTimeOffset now = _source.Time.GetUtcNow();
        List<LineMessage> lines = [];
        LineKind kind;
        while ((kind = _splitter.Next(ref bytes, out ReadOnlySpan<byte> line)) != LineKind.None && !EndsAsForeign(kind, line))
        {
            if (kind == LineKind.Line)
            {
                lines.Add(Open(line, now));
            }
            else if (kind == LineKind.TooLong)
            {
                Drop(LineAnswers.TooLong);
            }
        }

        return lines;
    }

    /// <returns>True when it had to wait.</returns>
    private ValueTask<bool> WaitForSpaceAsync() =>
        _source.InMemory.IsFull || _answers is { IsFull: true } ? WaitForRoomSlowAsync() : new ValueTask<bool>(false);

    private async ValueTask<bool> WaitForRoomSlowAsync()
    {
        await _source.InMemory.WaitForSpaceAsync(_source.StopHandingIn);
        if (_answers is not null)
        {
            await _answers.WaitForSpaceAsync().WaitAsync(_source.StopHandingIn);
        }

        return true;
    }

    /// <summary>Hands in lines until the slots or the bytes are used up.</summary>
    /// <returns>Bytes consumed.</returns>
    private long HandIn(ReadOnlySequence<byte> bytes, SlotLease slots)
    {
        DateTimeOffset now = _source.Time.GetUtcNow();
        long done = 0;
        foreach (ReadOnlyMemory<byte> segment in bytes)
        {
            ReadOnlySpan<byte> rest = segment.Span;
            while (!rest.IsEmpty && slots.Count > 0)
            {
                int before = rest.Length;
                LineKind kind = _splitter.Next(ref rest, out ReadOnlySpan<byte> line);
                done += before - rest.Length;
                if (EndsAsForeign(kind, line))
                {
                    return done;
                }

                if (kind == LineKind.Line)
                {
                    HandIn(Open(line, now), slots);
                }
                else if (kind == LineKind.TooLong)
                {
                    Drop(LineAnswers.TooLong);
                }
            }
        }

        return done;
    }

    private LineMessage Open(ReadOnlySpan<byte> line, DateTimeOffset now)
    {
        LineMessage message = _source.InMemory.Take();
        bool isAnswered = _answers is not null;
        if (isAnswered)
        {
            Interlocked.Increment(ref _unsettled);
        }

        message.Open(line, isAnswered ? this : null, _splitter.LineNumber, _source.Buffers, now);
        return message;
    }

    private static void HandIn(LineMessage message, SlotLease slots)
    {
        message.BeginDelivery();
        slots.Accept(message);
    }

    private async ValueTask EndOfStreamAsync(IMessageIntake intake)
    {
        // At shutdown the sender may not have finished its line. With acknowledgements it has no answer and sends the line again; otherwise the line is lost.
        if (!_splitter.HasPartial || IsForeign || (IsStopping && _answers is not null))
        {
            return;
        }

        bool isWhole = ReferenceEquals(_endOfStream, CloseReason.End) && _options.UnterminatedTail == TailRule.Accept;
        using SlotLease slot = isWhole ? await TryReserveAsync(intake) : default;
        if (EndLastLine(isWhole) is not { } message)
        {
            return;
        }

        if (slot.Count > 0)
        {
            HandIn(message, slot);
        }
        else
        {
            // The drain ended first: it is spilled, or answered as stopping.
            await _source.InMemory.ReturnAsync(message, TimeSpan.Zero);
        }
    }

    /// <returns>One slot; none when the drain ended first.</returns>
    private async ValueTask<SlotLease> TryReserveAsync(IMessageIntake intake)
    {
        try
        {
            return await intake.ReserveAsync(1, 1, _source.StopHandingIn);
        }
        catch (OperationCanceledException) when (_source.StopHandingIn.IsCancellationRequested)
        {
            return default;
        }
    }

    /// <summary>Ends the line that its sender has not terminated.</summary>
    /// <returns>Null when it is no message.</returns>
    private LineMessage? EndLastLine(bool isWhole)
    {
        LineKind kind = _splitter.End(out ReadOnlySpan<byte> line);
        if (isWhole && kind == LineKind.Line && !EndsAsForeign(kind, line))
        {
            return Open(line, _source.Time.GetUtcNow());
        }

        if (kind != LineKind.Blank && !IsForeign)
        {
            _firstLineHasNul |= line.Contains((byte)0);
            Drop(kind == LineKind.TooLong ? LineAnswers.TooLong : LineAnswers.Unterminated);
        }

        return null;
    }

    private void KeepPrefix(in ReadOnlySequence<byte> bytes)
    {
        int length = (int)Math.Min(_prefix.Length - _prefixLength, bytes.Length);
        if (length > 0)
        {
            bytes.Slice(0, length).CopyTo(_prefix.AsSpan(_prefixLength));
            _prefixLength += length;
        }

        // Only for the advice about a first line that is dropped; other connections find their first line in their first bytes.
        if (_splitter.LineNumber == 0 && !_firstLineHasNul)
        {
            _firstLineHasNul = bytes.FirstSpan.Contains((byte)0);
        }
    }

    /// <summary>Ends the connection when it begins as another protocol's; none of its lines becomes a message.</summary>
    private bool EndsAsForeign(LineKind kind, ReadOnlySpan<byte> line)
    {
        if (!_isFirstLine || kind is not (LineKind.Line or LineKind.TooLong))
        {
            return false;
        }

        _isFirstLine = false;
        string? reason = ProxyHeader.Begins(Prefix) ? CloseReason.ProxyProtocol
            : (kind == LineKind.Line ? HttpRequestLine.Matches(line) : HttpRequestLine.Begins(Prefix)) ? CloseReason.HttpRequest
            : null;
        if (reason is not null)
        {
            IsForeign = true;
            Abort(reason);
        }

        return IsForeign;
    }

    private void Drop(string reason)
    {
        long line = _splitter.LineNumber;
        _source.LineDropped(this, line, _splitter.LineBytes, reason, FramingAdvice.For(reason, line, Prefix, _firstLineHasNul));
        _answers?.Add(line, reason);
    }
}
