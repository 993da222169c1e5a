namespace Messaging.CloudFront.Rows;

/// <summary>Why <see cref="LogParser.Parse"/> returned.</summary>
internal enum ParseStatus
{
    /// <summary>Every whole line of the window was read.</summary>
    NeedsInput = 0,

    /// <summary>Whoever takes the rows wants to do something first.</summary>
    Paused,

    /// <summary>The log cannot be read on; <see cref="LogParser.Fault"/> says why.</summary>
    Failed,
}
