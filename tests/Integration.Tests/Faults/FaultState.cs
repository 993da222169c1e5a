namespace Integration.Tests.Faults;

/// <summary>One setting of the proxy. Each setting is a new object, so that a connection detects a change by reference.</summary>
/// <param name="times">How often the fault may strike before everything passes again.</param>
internal sealed class FaultState(TcpFault fault, int times)
{
    private readonly CancellationTokenSource _replaced = new();
    private int _left = times;

    public TcpFault Fault { get; } = fault;

    /// <summary>Cancelled when another setting replaces this one.</summary>
    public CancellationToken Replaced => _replaced.Token;

    /// <returns>Whether this connection may strike; false once the times are used up.</returns>
    public bool TryStrike(out bool isLast)
    {
        int left = Interlocked.Decrement(ref _left);
        isLast = left == 0;
        return left >= 0;
    }

    public void Replace() => _replaced.Cancel();
}
