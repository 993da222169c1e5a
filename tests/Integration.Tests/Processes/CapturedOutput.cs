using System.Globalization;
using System.Text;
using System.Text.RegularExpressions;

namespace Integration.Tests.Processes;

/// <summary>The lines a process has written so far, in the order they arrived, and a wait for one that matches.</summary>
internal sealed class CapturedOutput
{
    private readonly Lock _gate = new();
    private readonly List<CapturedLine> _lines = [];

    // Completed and replaced under _gate at every change, so that a waiter that checked before the change wakes up.
    private TaskCompletionSource _changed = NewSignal();
    private bool _isComplete;

    public CapturedLine[] Snapshot()
    {
        lock (_gate)
        {
            return [.. _lines];
        }
    }

    public void Add(string text, bool isError)
    {
        lock (_gate)
        {
            _lines.Add(new CapturedLine(_lines.Count, isError, text));
            Wake();
        }
    }

    /// <summary>Marks the output as complete: a wait for a further line fails immediately instead of at its timeout.</summary>
    public void Complete()
    {
        lock (_gate)
        {
            _isComplete = true;
            Wake();
        }
    }

    /// <summary>The first matching line at or after <paramref name="from"/>, including lines already captured.</summary>
    /// <exception cref="TimeoutException">No line matched in time, or the process ended first; the message holds the output.</exception>
    public async Task<CapturedLine> WaitForLineAsync(Regex pattern, TimeSpan timeout, int from, CancellationToken cancellationToken)
    {
        using var deadline = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        deadline.CancelAfter(timeout);
        int next = from;
        while (true)
        {
            Task changed;
            lock (_gate)
            {
                for (; next < _lines.Count; next++)
                {
                    if (pattern.IsMatch(_lines[next].Text))
                    {
                        return _lines[next];
                    }
                }

                if (_isComplete)
                {
                    throw new TimeoutException($"The process ended without a line that matches '{pattern}'. {Describe()}");
                }

                changed = _changed.Task;
            }

            try
            {
                await changed.WaitAsync(deadline.Token);
            }
            catch (OperationCanceledException exception) when (!cancellationToken.IsCancellationRequested)
            {
                throw new TimeoutException($"No line matched '{pattern}' within {timeout}. {Describe()}", exception);
            }
        }
    }

    /// <summary>The last lines, standard error marked with an exclamation mark.</summary>
    public string Describe(int lines = 200)
    {
        CapturedLine[] all = Snapshot();
        var text = new StringBuilder();
        text.Append(CultureInfo.InvariantCulture, $"Output ({all.Length} lines");
        text.AppendLine(all.Length > lines ? $", the last {lines}):" : "):");
        foreach (CapturedLine line in all.AsSpan(Math.Max(0, all.Length - lines)))
        {
            text.AppendLine(line.ToString());
        }

        return text.ToString();
    }

    private static TaskCompletionSource NewSignal() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private void Wake()
    {
        TaskCompletionSource changed = _changed;
        _changed = NewSignal();
        changed.SetResult();
    }
}
