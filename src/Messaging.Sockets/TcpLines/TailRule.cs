namespace Messaging.Sockets.TcpLines;

/// <summary>What becomes of bytes behind the last line end when a sender ends its stream.</summary>
internal enum TailRule
{
    /// <summary>They are no message: counted and dropped, since nothing tells a whole line from one that was cut off.</summary>
    Drop = 0,

    /// <summary>They are the last line. A stream that breaks off is still dropped.</summary>
    Accept,
}
