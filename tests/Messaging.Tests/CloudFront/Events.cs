namespace Messaging.Tests.CloudFront;

/// <summary>Event notifications as S3 writes them.</summary>
internal static class Events
{
    public const string Test = """{"Service":"Amazon S3","Event":"s3:TestEvent","Time":"2026-01-31T10:00:00.000Z","Bucket":"logs","RequestId":"5582815E1AEA5ADF","HostId":"8cLeGAmw098X5cv4Zkwcmo8vvZa3eH3eKxsPzbB9wrR+YstdA6Knx4Ip8EXAMPLE"}""";

    /// <summary>A record of version 2.1 with all properties that S3 sends.</summary>
    public static string Record(
        string key, string bucket = "logs", string eventName = "ObjectCreated:Put", string? eTag = "d41d8cd98f00b204e9800998ecf8427e",
        string? versionId = null) =>
        $$$$"""
        {"eventVersion":"2.1","eventSource":"aws:s3","awsRegion":"eu-west-1","eventTime":"2026-01-31T10:00:00.000Z","eventName":"{{{{eventName}}}}",
        "userIdentity":{"principalId":"AWS:EXAMPLE"},"requestParameters":{"sourceIPAddress":"192.0.2.1"},
        "responseElements":{"x-amz-request-id":"C3D13FE58DE4C810","x-amz-id-2":"FMyUVURIY8/IgAtTv8xRjskZQpcIZ9KG4V5Wp6S7S/JRWeUWerMUE5JgHvANOjpD"},
        "s3":{"s3SchemaVersion":"1.0","configurationId":"logs","bucket":{"name":"{{{{bucket}}}}","ownerIdentity":{"principalId":"A3NL1KOZZKExample"},"arn":"arn:aws:s3:::{{{{bucket}}}}"},
        "object":{"key":"{{{{key}}}}","size":1024{{{{(eTag is null ? "" : $",\"eTag\":\"{eTag}\"")}}}}{{{{(versionId is null ? "" : $",\"versionId\":\"{versionId}\"")}}}},"sequencer":"0055AED6DCD90281E5"}}}
        """;

    /// <summary>An event as S3 sends it to EventBridge.</summary>
    public static string EventBridge(string key, string bucket = "logs", string type = "Object Created") =>
        $$$"""
        {"version":"0","id":"17793124-05d4-b198-2fde-7ededc63b103","detail-type":"{{{type}}}","source":"aws.s3","account":"111122223333","time":"2026-01-31T10:00:00Z",
        "region":"eu-west-1","resources":["arn:aws:s3:::{{{bucket}}}"],"detail":{"version":"0","bucket":{"name":"{{{bucket}}}"},
        "object":{"key":"{{{key}}}","size":5,"etag":"d41d8cd98f00b204e9800998ecf8427e","version-id":"096fKKXTRTtl3on89fVO.nfljtsv6qko","sequencer":"617f08299329d189"},
        "request-id":"N4N7GDK58NMKJ12R","requester":"123456789012","source-ip-address":"192.0.2.1","reason":"PutObject"}}
        """;

    public static string Of(params string[] records) => $$"""{"Records":[{{string.Join(',', records)}}]}""";
}
