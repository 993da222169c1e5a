namespace Integration.Tests.Worker;

/// <summary>Where the worker under test stores.</summary>
public enum SinkKind
{
    /// <summary>A folder.</summary>
    Directory,

    /// <summary>fauxqs: takes conditional PUTs, but ignores the condition.</summary>
    Fauxqs,

    /// <summary>The fault-scripted S3 of this project, which remembers every exchange.</summary>
    FaultyS3,

    /// <summary>Ceph, which verifies signatures and conditions.</summary>
    RealS3,
}
