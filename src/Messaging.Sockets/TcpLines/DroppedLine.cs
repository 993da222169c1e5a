namespace Quayside.Messaging.Sockets.TcpLines;

/// <summary>Input that was no message.</summary>
/// <param name="Line">Its number on its connection.</param>
/// <param name="Reason">Why, as a short code.</param>
/// <param name="Length">Its bytes.</param>
/// <param name="Kept">Its bytes, or the first of them.</param>
/// <param name="Advice">The probable cause and what to do.</param>
internal sealed record DroppedLine(long Line, string Reason, long Length, byte[] Kept, string Advice)
{
    /// <summary>True when no byte is missing, but for the CR of a line end.</summary>
    public bool IsWhole => Kept.Length >= Length - 1;
}
