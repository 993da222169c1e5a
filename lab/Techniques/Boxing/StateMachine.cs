using System.Runtime.CompilerServices;

namespace Lab.Techniques.Boxing;

/// <summary>Counts the equal neighbours in a row of states, for any type of state.</summary>
internal static class StateMachine<TState>
    where TState : notnull
{
    /// <summary>Frozen: the virtual method takes an object.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int ObjectEquals(TState[] states)
    {
        int same = 0;
        for (int at = 1; at < states.Length; at++)
        {
            same += states[at - 1].Equals(states[at]) ? 1 : 0;
        }

        return same;
    }

    /// <summary>Both sides as objects.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int StaticEquals(TState[] states)
    {
        int same = 0;
        for (int at = 1; at < states.Length; at++)
        {
            same += Equals(states[at - 1], states[at]) ? 1 : 0;
        }

        return same;
    }

    /// <summary>The published improvement.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int DefaultComparer(TState[] states)
    {
        int same = 0;
        for (int at = 1; at < states.Length; at++)
        {
            same += EqualityComparer<TState>.Default.Equals(states[at - 1], states[at]) ? 1 : 0;
        }

        return same;
    }

    /// <summary>The box is passed to another method, so it must really be allocated.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int EscapingBox(TState[] states)
    {
        int same = 0;
        for (int at = 1; at < states.Length; at++)
        {
            same += AreEqual(states[at - 1], states[at]) ? 1 : 0;
        }

        return same;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool AreEqual(object first, object second) => first.Equals(second);
}
