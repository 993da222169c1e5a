namespace Integration.Tests.Processes;

/// <summary>POSIX signals that the tests send. Stop and Kill cannot be caught, so the process learns nothing of them.</summary>
internal enum ProcessSignal
{
    Interrupt,
    Terminate,
    Kill,
    Stop,
    Continue,
}
