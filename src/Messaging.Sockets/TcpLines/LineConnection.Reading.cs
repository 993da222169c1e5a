using System.Buffers;
using System.IO.Pipelines;
using System.Net.Sockets;
using Quayside.Messaging.Sources;
using Quayside.Messaging.Sources.Lines;

namespace Quayside.Messaging.Sockets.TcpLines;

/// <content>Reading: bytes into the pipe, lines out of it, a slot per line.</content>
internal sealed partial class LineConnection
{
    // A read that fills its buffer doubles the next one, up to LargestRead. So an idle connection holds little, and a busy one makes few calls.
    private const int SmallestRead = 4 << 10;
    private const int LargestRead = 64 << 10;

    private readonly CancellationTokenSource _stopFilling = new();

    private string _endOfStream = CloseReason.End;

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

        return _splitter.IsBroken ? CloseReason.BadFrame : _endOfStream;
    }

    private async Task FillAndCloseAsync(Stream stream, PipeWriter writer)
    {
        // Ends only the wait for bytes: bytes already read are processed even when the worker stops.
        using CancellationTokenSource reading = CancellationTokenSource.CreateLinkedTokenSource(_end.Token, _stopFilling.Token, _source.StopReading);
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
            long lines = _splitter.Number;
            Volatile.Write(ref _waits, false);
            bool waited = false;
            ReadOnlySequence<byte> bytes = result.Buffer;
            KeepPrefix(bytes.Slice(kept));
            if (_isFirstLine && !result.IsCompleted && ForeignProtocol.MayBegin(Prefix))
            {
                // A few bytes more decide.
                kept = bytes.Length;
                reader.AdvanceTo(bytes.Start, bytes.End);
                Volatile.Write(ref _waits, true);
                continue;
            }

            kept = 0;
            long done = 0;
            RecognizeBeginning();
            try
            {
                while (done < bytes.Length && !IsUnreadable)
                {
                    waited |= await WaitForSpaceAsync();
                    ValueTask<SlotLease> reserving = intake.ReserveAsync(1, _source.Concurrency, _source.StopHandingIn);
                    waited |= !reserving.IsCompleted;
                    using (SlotLease slots = await reserving)
                    {
                        // It may have filled up while this connection waited for a slot.
                        done += _source.InMemory.IsFull ? 0 : HandIn(bytes.Slice(done), slots);
                    }

                    if (_dropped.Count > 0)
                    {
                        await ReportDroppedAsync();
                    }
                }
            }
            catch (OperationCanceledException) when (_source.StopHandingIn.IsCancellationRequested)
            {
                await LeaveOverAsync(reader, bytes, done, intake);
                return;
            }

            if (_foreign is not null)
            {
                EndForeign();
            }

            reader.AdvanceTo(bytes.End);
            if (result.IsCompleted || IsUnreadable)
            {
                await EndOfStreamAsync(intake);
                return;
            }

            if (waited || _splitter.Number > lines)
            {
                Volatile.Write(ref _since, _source.Time.GetTimestamp());
            }

            Volatile.Write(ref _waits, true);
        }
    }

    /// <summary>Handles bytes not handed in when the drain ended: with acknowledgements the sender sends them again; otherwise they are spilled.</summary>
    private async ValueTask LeaveOverAsync(PipeReader reader, ReadOnlySequence<byte> bytes, long done, IMessageIntake intake)
    {
        if (_answers is not null)
        {
            TcpLinesLog.Unread(_source.Logger, _source.Route, Peer, bytes.Length - done, "The sender must send every line without an answer again.");
            return;
        }

        bool isCompleted = false;
        while ((!isCompleted || done < bytes.Length) && !IsUnreadable)
        {
            foreach (LineMessage message in Cut(bytes.Slice(done)))
            {
                await _source.InMemory.ReturnAsync(message, TimeSpan.Zero);
            }

            await ReportDroppedAsync();
            if (_foreign is not null)
            {
                EndForeign();
            }

            // The connection is no longer read, so the pipe ends after its current bytes.
            reader.AdvanceTo(bytes.End);
            ReadResult result = await reader.ReadAsync(CancellationToken.None);
            (bytes, done, isCompleted) = (result.Buffer, 0, result.IsCompleted);
            KeepPrefix(bytes);
        }

        await EndOfStreamAsync(intake);
    }

    private List<LineMessage> Cut(ReadOnlySequence<byte> bytes)
    {
        DateTimeOffset now = _source.Time.GetUtcNow();
        List<LineMessage> lines = [];
        LineKind kind;
        ReadOnlySpan<byte> line;
        while ((kind = _splitter.Next(ref bytes, out line)) != LineKind.None && !IsForeign(kind, line))
        {
            if (kind == LineKind.Line)
            {
                lines.Add(Open(line, now));
            }
            else if (kind == LineKind.TooLong)
            {
                Drop(LineAnswers.TooLong, line, _splitter.Bytes);
            }
        }

        if (_splitter.IsBroken)
        {
            DropBroken(line, bytes);
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

    /// <summary>Hands in lines until the slots or the bytes are used up, or one is dropped.</summary>
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
                if (IsForeign(kind, line))
                {
                    return done;
                }

                if (kind == LineKind.Line)
                {
                    HandIn(Open(line, now), slots);
                }
                else if (kind == LineKind.TooLong)
                {
                    Drop(LineAnswers.TooLong, line, _splitter.Bytes);
                    return done;
                }
                else if (_splitter.IsBroken)
                {
                    DropBroken(line, bytes.Slice(done));
                    return done;
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

        message.Open(line, isAnswered ? this : null, _splitter.Number, _source.Buffers, now);
        return message;
    }

    private static void HandIn(LineMessage message, SlotLease slots)
    {
        message.BeginDelivery();
        slots.Accept(message);
    }

    private async ValueTask EndOfStreamAsync(IMessageIntake intake)
    {
        if (_splitter.IsBroken)
        {
            await _stopFilling.CancelAsync();
            return;
        }

        // At shutdown the sender may not have finished its line. With acknowledgements it has no answer and sends the line again; otherwise the line is lost.
        if (!_splitter.HasPartial || _foreign is not null || (IsStopping && _answers is not null))
        {
            return;
        }

        bool isWhole = ReferenceEquals(_endOfStream, CloseReason.End) && _options.UnterminatedTail == TailRule.Accept;
        using SlotLease slot = isWhole ? await TryReserveAsync(intake) : default;
        LineMessage? message = EndLastLine(isWhole);
        if (_foreign is not null)
        {
            EndForeign();
        }

        await ReportDroppedAsync();
        if (message is null)
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
        if (isWhole && kind == LineKind.Line && !IsForeign(kind, line))
        {
            return Open(line, _source.Time.GetUtcNow());
        }

        if (kind != LineKind.Blank && _foreign is null)
        {
            Drop(kind == LineKind.TooLong ? LineAnswers.TooLong : LineAnswers.Unterminated, line, _splitter.Bytes);
        }

        return null;
    }
}
