namespace Lab.Techniques.Boxing;

/// <summary>The states of the machine that is compared.</summary>
internal enum DayState
{
    Opening,
    Open,
    Closing,
    Closed,
}
