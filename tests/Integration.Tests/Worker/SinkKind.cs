namespace Integration.Tests.Worker;

/// <summary>The sink of the worker under test.</summary>
public enum SinkKind
{
    /// <summary>A folder.</summary>
    Directory,

    /// <summary>fauxqs: accepts conditional PUTs but ignores the condition.</summary>
    Fauxqs,

    /// <summary>The fault-scripted S3 of this project, which records every exchange.</summary>
    FaultyS3,

    /// <summary>Ceph, which verifies signatures and conditions.</summary>
    RealS3,
}
