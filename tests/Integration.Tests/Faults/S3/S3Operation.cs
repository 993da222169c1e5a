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

    /// <summary>Any operation that this fake does not implement; answered 501.</summary>
    Other,
}
