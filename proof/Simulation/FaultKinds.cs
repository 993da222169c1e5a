namespace Proof.Simulation;

/// <summary>The kinds of faults, each of which a replay can leave out.</summary>
[Flags]
internal enum FaultKinds
{
    None = 0,
    LostRequest = 1,
    LostAnswer = 2,
    Error = 4,
    Stall = 8,
    Slow = 16,
    FailedEntry = 32,
    Duplicate = 64,
    Outage = 128,
    Kill = 256,
    Stop = 512,
    Poison = 1024,
    Collision = 2048,
    ClockJump = 4096,
    SecondWorker = 8192,
    Sink = 16384,
    Body = 32768,
    PowerCut = 65536,
    Redrive = 131072,
    Source = 262144,
    All = 524287,
}
