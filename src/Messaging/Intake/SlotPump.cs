using System.Diagnostics.CodeAnalysis;
using System.Numerics;
using System.Runtime.InteropServices;

namespace Quayside.Messaging.Intake;

/// <summary>
/// Runs the slots that have a message to work on, one after another on a pool thread: a work item for each would cost more than most
/// messages. Before it runs a slot, it posts itself again if there are more, so that another thread takes them while this one works or
/// is blocked by a handler. Threads: <see cref="Add"/> under the intake's lock; any number run concurrently.
/// </summary>
internal sealed class SlotPump : IThreadPoolWorkItem
{
    // Then the other work of the pool gets the thread.
    private const int MaxSlots = 64;

    // Slots that finish together are returned together: one lock, and one wake-up of the source.
    private const int MaxFinished = 16;

    private readonly MessageIntake _intake;
    private readonly MessageSlot[] _ring;
    private readonly int _returnAt;
    private Ends _ends;
    private int _posted;

    public SlotPump(MessageIntake intake, int concurrency)
    {
        _intake = intake;
        _ring = new MessageSlot[BitOperations.RoundUpToPowerOf2((uint)concurrency)];
        _returnAt = Math.Clamp(concurrency / 4, 1, MaxFinished);
    }

    /// <summary>
    /// After this time the other work gets the thread, too: two ticks of the coarse clock, so 4 to 12 ms. The simulation, where time stands still, sets it.
    /// </summary>
    internal static int MaxMilliseconds { get; set; } = 8;

    /// <summary>Work items that the pool was given; exact while nothing runs.</summary>
    public long Posts { get; private set; }

    private bool IsEmpty => Volatile.Read(ref _ends.Head) == Volatile.Read(ref _ends.Tail);

    /// <summary>Queues a slot. Under the intake's lock. <see cref="Post"/> must follow.</summary>
    public void Add(MessageSlot slot)
    {
        long tail = _ends.Tail;
        _ring[tail & (_ring.Length - 1)] = slot;
        Volatile.Write(ref _ends.Tail, tail + 1);
    }

    /// <summary>Makes sure that a thread runs the queued slots, never the caller's, which may be a socket's.</summary>
    public void Post()
    {
        if (Interlocked.Exchange(ref _posted, 1) == 0)
        {
            Posts++;
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        }
    }

    void IThreadPoolWorkItem.Execute()
    {
        Interlocked.Exchange(ref _posted, 0);
        long started = Environment.TickCount64;
        int finished = 0;
        for (int run = 0; TryTake(out MessageSlot? slot); run++)
        {
            bool isLast = run == MaxSlots - 1 || Environment.TickCount64 - started >= MaxMilliseconds;
            if (Volatile.Read(ref _posted) == 0 && !IsEmpty)
            {
                Post();
            }

            if (slot.Run() && ++finished == _returnAt)
            {
                _intake.ReturnFinished();
                finished = 0;
            }

            if (isLast)
            {
                break;
            }
        }

        if (finished > 0)
        {
            _intake.ReturnFinished();
        }

        if (!IsEmpty)
        {
            Post();
        }
    }

    private bool TryTake([NotNullWhen(true)] out MessageSlot? slot)
    {
        while (true)
        {
            long head = Volatile.Read(ref _ends.Head);
            if (head == Volatile.Read(ref _ends.Tail))
            {
                slot = null;
                return false;
            }

            // The entry cannot be overwritten before the head moves on, because a slot is queued at most once.
            slot = _ring[head & (_ring.Length - 1)];
            if (Interlocked.CompareExchange(ref _ends.Head, head + 1, head) == head)
            {
                return true;
            }
        }
    }

    // In cache lines of their own: the source writes one, the pumps the other.
    [StructLayout(LayoutKind.Explicit, Size = 384)]
    private struct Ends
    {
        [FieldOffset(128)]
        public long Head;

        [FieldOffset(256)]
        public long Tail;
    }
}
