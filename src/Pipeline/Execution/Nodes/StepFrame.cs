using System.Diagnostics;
using System.Runtime.CompilerServices;
using Quayside.Pipeline.Behaviors;
using Quayside.Pipeline.Contexts;
using Quayside.Pipeline.Frames;

namespace Quayside.Pipeline.Execution.Nodes;

/// <summary>
/// The async method of a run of steps, written by hand: one pooled state machine for all its steps, whichever suspends first.
/// Exceptions are passed to OnError without being thrown again. One class for all contexts: a generic one over reference types
/// would look up its pool in a dictionary. Rented for a run, then resumed by what it awaits until it completes.
/// </summary>
internal sealed class StepFrame : Frame
{
    private static readonly FramePool Pool = new();

    private IStepRun? _run;
    private PipelineContext? _context;
    private int _entered;
    private Exception? _error;
    private Phase _phase;
    private ValueTask<StepOutcome> _before;
    private ValueTask _rest;
    private ValueTask<ErrorOutcome> _handling;

    private enum Phase
    {
        Before,
        Rest,
        OnError,
    }

    /// <summary>Continues after a Before that is under way.</summary>
    public static ValueTask AwaitBefore(IStepRun run, PipelineContext context, int entered, ValueTask<StepOutcome> before)
    {
        FrameThread thread = FrameThread.Current;
        StepFrame frame = Rent(thread, run, context, entered);
        ValueTask task = new(frame, frame.Version);
        frame.Await(before, thread);
        return task;
    }

    /// <summary>Continues after the rest of the chain, or an After, that is under way.</summary>
    public static ValueTask AwaitRest(IStepRun run, PipelineContext context, int entered, ValueTask rest)
    {
        FrameThread thread = FrameThread.Current;
        StepFrame frame = Rent(thread, run, context, entered);
        ValueTask task = new(frame, frame.Version);
        frame.Await(rest, thread);
        return task;
    }

    /// <summary>Passes an exception to the OnError of the steps entered.</summary>
    public static ValueTask Unwind(IStepRun run, PipelineContext context, int entered, Exception error)
    {
        StepFrame frame = Rent(FrameThread.Current, run, context, entered);
        ValueTask task = new(frame, frame.Version);
        frame._error = error;
        frame.Leave();
        return task;
    }

    [StackTraceHidden]
    protected override void MoveNext()
    {
        try
        {
            switch (_phase)
            {
                case Phase.Before:
                    if (!TryEnter(_before.GetAwaiter().GetResult()))
                    {
                        return;
                    }

                    break;
                case Phase.Rest:
                    _rest.GetAwaiter().GetResult();
                    break;
                default:
                    Handle(_handling.GetAwaiter().GetResult());
                    break;
            }
        }
        catch (Exception exception)
        {
            _error = exception;
        }

        Leave();
    }

    protected override void Recycle(FrameThread thread)
    {
        _run = null;
        _context = null;
        _error = null;
        _before = default;
        _rest = default;
        _handling = default;
        Pool.Return(this, thread);
    }

    private static StepFrame Rent(FrameThread thread, IStepRun run, PipelineContext context, int entered)
    {
        Frame? idle = Pool.TryRent(thread);
        StepFrame frame = idle is null ? new StepFrame() : Unsafe.As<StepFrame>(idle);
        frame._run = run;
        frame._context = context;
        frame._entered = entered;
        return frame;
    }

    /// <summary>Continues after a Before that has completed.</summary>
    /// <returns>False when a task is under way: this frame then belongs to the thread that resumes it.</returns>
    private bool TryEnter(StepOutcome outcome)
    {
        if (!_run!.Continues(_entered, outcome))
        {
            return true;
        }

        _entered++;
        StepOutcome? entering = _run.Enter(_context!, ref _entered, out ValueTask<StepOutcome> before);
        if (entering is null)
        {
            Await(before, FrameThread.Current);
            return false;
        }

        if (entering == StepOutcome.Stop)
        {
            return true;
        }

        ValueTask rest = _run.InvokeNextAsync(_context!);
        if (!rest.IsCompleted)
        {
            Await(rest, FrameThread.Current);
            return false;
        }

        rest.GetAwaiter().GetResult();
        return true;
    }

    private void Leave()
    {
        while (_entered > 0)
        {
            try
            {
                if (_error is null)
                {
                    if (_run!.TryLeave(_context!, ref _entered, out ValueTask after))
                    {
                        continue;
                    }

                    if (!after.IsCompleted)
                    {
                        Await(after, FrameThread.Current);
                        return;
                    }

                    // Reading the result returns a pooled task source to its pool.
                    after.GetAwaiter().GetResult();
                }
                else
                {
                    _entered--;
                    ValueTask<ErrorOutcome> handling = _run!.OnErrorAsync(_context!, _entered, _error);
                    if (!handling.IsCompleted)
                    {
                        Await(handling, FrameThread.Current);
                        return;
                    }

                    Handle(handling.GetAwaiter().GetResult());
                }
            }
            catch (Exception exception)
            {
                _error = exception;
            }
        }

        if (_error is null)
        {
            Complete();
        }
        else
        {
            SetException(_error);
        }
    }

    private void Handle(ErrorOutcome outcome)
    {
        if (outcome == ErrorOutcome.Handled)
        {
            _error = null;
        }
    }

    // The caller must not touch the frame after these three methods: another thread may already run it.
    private void Await(ValueTask<StepOutcome> before, FrameThread thread)
    {
        _phase = Phase.Before;
        _before = before;
        Suspend(thread);
        before.ConfigureAwait(false).GetAwaiter().UnsafeOnCompleted(ResumeAction);
    }

    private void Await(ValueTask rest, FrameThread thread)
    {
        _phase = Phase.Rest;
        _rest = rest;
        Suspend(thread);
        rest.ConfigureAwait(false).GetAwaiter().UnsafeOnCompleted(ResumeAction);
    }

    private void Await(ValueTask<ErrorOutcome> handling, FrameThread thread)
    {
        _phase = Phase.OnError;
        _handling = handling;
        Suspend(thread);
        handling.ConfigureAwait(false).GetAwaiter().UnsafeOnCompleted(ResumeAction);
    }
}
