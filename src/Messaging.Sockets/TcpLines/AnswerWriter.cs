using System.Threading.Channels;
using Quayside.Pipeline.Buffers;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Sockets.TcpLines;

/// <summary>
/// Writes the answers of a connection. Answers added during a write go out together with the next one, so that many share a system call and no caller waits
/// for another. Threads: any number add; one loop writes. 0 B per answer.
/// </summary>
internal sealed class AnswerWriter(Stream stream, BufferPool buffers, TimeProvider time) : IDisposable
{
    /// <summary>Bytes of answers that may wait for the sender to read; at this limit no more of its lines are read.</summary>
    public const int WaitingLimit = 64 << 10;

    // Each piece has its own time, so that a slow sender that does read keeps its connection. A piece has the answers of about 400 lines, few enough calls.
    private const int PieceBytes = 4 << 10;

    private readonly Lock _gate = new();

    // One wake-up is enough for any number of answers.
    private readonly Channel<bool> _wake = Channel.CreateBounded<bool>(new BoundedChannelOptions(1)
    {
        FullMode = BoundedChannelFullMode.DropWrite,
        SingleReader = true,
        SingleWriter = false,
        AllowSynchronousContinuations = false,
    });

    // Under the gate; null once the writer has ended.
    private PooledBuffer? _waiting = buffers.Rent(256);
    private PooledBuffer _sending = buffers.Rent(256);
    private TaskCompletionSource? _room;
    private long _writingSince;
    private bool _isWriting;

    /// <summary>True while the waiting answers have reached <see cref="WaitingLimit"/>.</summary>
    public bool IsFull
    {
        get
        {
            lock (_gate)
            {
                return _waiting is { Length: >= WaitingLimit };
            }
        }
    }

    /// <summary>How long the current piece of the answers has waited for the sender to read; zero without one.</summary>
    public TimeSpan Blocked
    {
        get
        {
            lock (_gate)
            {
                return _isWriting ? time.GetElapsedTime(_writingSince) : TimeSpan.Zero;
            }
        }
    }

    /// <summary>Adds the answer for a settled line.</summary>
    /// <returns>False when the connection has ended.</returns>
    public bool Add(long line, in Settlement settlement) => settlement.Kind switch
    {
        SettlementKind.Complete => Add(line, reason: null),
        SettlementKind.DeadLetter => Add(line, settlement.Reason ?? "unspecified"),
        _ => Add(line, LineAnswers.Stopping),
    };

    /// <summary>Adds an answer: <c>ok</c> without a reason, <c>error</c> with one.</summary>
    public bool Add(long line, string? reason)
    {
        lock (_gate)
        {
            if (_waiting is null)
            {
                return false;
            }

            if (reason is null)
            {
                LineAnswers.Ok(_waiting, line);
            }
            else
            {
                LineAnswers.Error(_waiting, line, reason);
            }
        }

        _wake.Writer.TryWrite(true);
        return true;
    }

    /// <summary>Waits until the sender has read enough, or the writer has ended.</summary>
    public Task WaitForSpaceAsync()
    {
        lock (_gate)
        {
            if (_waiting is not { Length: >= WaitingLimit })
            {
                return Task.CompletedTask;
            }

            _room ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            return _room.Task;
        }
    }

    /// <summary>No more answers follow: <see cref="RunAsync"/> ends after the remaining ones are written.</summary>
    public void Complete() => _wake.Writer.TryComplete();

    /// <summary>Writes until <see cref="Complete"/>; throws when the connection breaks.</summary>
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        try
        {
            while (await _wake.Reader.WaitToReadAsync(CancellationToken.None))
            {
                _wake.Reader.TryRead(out _);
                while (Swap())
                {
                    for (int sent = 0; sent < _sending.Length; sent += PieceBytes)
                    {
                        BeginWrite();
                        await stream.WriteAsync(_sending.WrittenMemory.Slice(sent, Math.Min(PieceBytes, _sending.Length - sent)), cancellationToken);
                    }

                    EndWrite();
                }
            }
        }
        finally
        {
            Dispose();
        }
    }

    /// <summary>Discards unwritten answers; nothing can be added afterwards.</summary>
    public void Dispose()
    {
        lock (_gate)
        {
            if (_waiting is null)
            {
                return;
            }

            _waiting.Dispose();
            _waiting = null;
            _isWriting = false;
            _sending.Dispose();
            _room?.TrySetResult();
            _room = null;
        }

        Complete();
    }

    private bool Swap()
    {
        lock (_gate)
        {
            if (_waiting is null or { Length: 0 })
            {
                return false;
            }

            (_sending, _waiting) = (_waiting, _sending);
            _waiting.Truncate(0);
            _room?.TrySetResult();
            _room = null;
            return true;
        }
    }

    private void BeginWrite()
    {
        lock (_gate)
        {
            _isWriting = true;
            _writingSince = time.GetTimestamp();
        }
    }

    private void EndWrite()
    {
        lock (_gate)
        {
            _isWriting = false;
        }
    }
}
