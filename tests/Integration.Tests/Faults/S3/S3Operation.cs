namespace Integration.Tests.Faults.S3;

internal enum S3Operation
{
    PutObject,
    GetObject,
    HeadObject,
    DeleteObject,
    ListObjects,
    CreateBucket,
    HeadBucket,

    /// <summary>Anything this fake does not serve; answered 501.</summary>
    Other,
}
