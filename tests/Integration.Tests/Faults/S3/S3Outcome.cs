namespace Integration.Tests.Faults.S3;

/// <summary>What the client could see of an exchange.</summary>
internal enum S3Outcome
{
    /// <summary>A whole answer.</summary>
    Answered,

    /// <summary>No answer: the connection was reset.</summary>
    Reset,

    /// <summary>No answer, and the connection stayed open.</summary>
    Hung,

    /// <summary>A part of the answer.</summary>
    Cut,

    /// <summary>The answer, too slow for a client to wait for.</summary>
    Dripped,

    /// <summary>No answer: the client disconnected before its request had arrived whole.</summary>
    ClientLeft,
}
