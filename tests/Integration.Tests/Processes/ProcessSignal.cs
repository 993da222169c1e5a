namespace Integration.Tests.Processes;

/// <summary>POSIX signals that the tests send. A process cannot catch Stop and Kill.</summary>
internal enum ProcessSignal
{
    Interrupt,
    Terminate,
    Kill,
    Stop,
    Continue,
    Hangup,
    Quit,
    User1,
    User2,
    Alarm,
    CpuLimit,
    PowerFailure,
}
