namespace Pipeline.Frames;

/// <summary>
/// Resumes nested frames one after the other instead of inside each other. A chain of 40 parts that suspended unwinds with a
/// flat stack: without it every frame resumes within the one it waited for, and past the processor's 16 or so
/// predicted returns each of those costs twice as much.
/// </summary>
internal static class Trampoline
{
    [ThreadStatic]
    private static Turn t_turn;

    /// <summary>A value task source's continuation: the frame in <c>state</c> waits for the one that just ended.</summary>
    public static Action<object?> Continue { get; } = static state =>
    {
        ref Turn turn = ref t_turn;
        if (turn.Running && turn.Next is null)
        {
            turn.Next = (Frame)state!;
        }
        else
        {
            Run((Frame)state!);
        }
    };

    /// <summary>
    /// Runs the frame and those that its end resumes. May be entered again within a frame, when a part completes something that
    /// another frame waits for: that one is through when the inner call returns, as if there were no trampoline.
    /// </summary>
    public static void Run(Frame frame)
    {
        ref Turn turn = ref t_turn;
        Turn outer = turn;
        turn = new Turn { Running = true };
        Frame? current = frame;
        do
        {
            current.RunInContext();
            current = turn.Next;
            turn.Next = null;
        }
        while (current is not null);

        turn = outer;
    }

    private struct Turn
    {
        public bool Running;
        public Frame? Next;
    }
}
