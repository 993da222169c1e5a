using System.Text;

namespace Integration.Tests.Worker;

/// <summary>A body that can never be stored, and the reason code it must be dead-lettered with.</summary>
internal sealed record BadMessage(string Reason, byte[] Body)
{
    /// <summary>Each kind that every source can carry.</summary>
    public static IReadOnlyList<BadMessage> All { get; } =
    [
        new("malformed-json", "{\"MessageId\":"u8.ToArray()),
        new("malformed-json", "plain text"u8.ToArray()),
        new("missing-id", """{"Product":"Web Shop","EventDateUtc":"2026-01-31T10:00:00Z"}"""u8.ToArray()),
        new("wrong-type", """{"MessageId":["a"],"Product":"Web Shop"}"""u8.ToArray()),
        new("wrong-type", """{"MessageId":"a","Product":{"Name":"Web Shop"}}"""u8.ToArray()),
        new("bad-date", """{"MessageId":"a","EventDateUtc":"yesterday"}"""u8.ToArray()),
        new("too-deep", Encoding.ASCII.GetBytes($$"""{"MessageId":"a","Payload":{{new string('[', 100_000)}}{{new string(']', 100_000)}}}""")),
        new("duplicate-property", """{"MessageId":"a","MessageId":"b"}"""u8.ToArray()),
        new("lone-surrogate", "{\"MessageId\":\"a\",\"Payload\":\"\\ud800\"}"u8.ToArray()),
        new("not-an-object", "[1,2,3]"u8.ToArray()),
        new("trailing-data", """{"MessageId":"a"} {"MessageId":"b"}"""u8.ToArray()),
    ];

    /// <summary>Kinds that only a source of bytes can carry: SQS bodies are text.</summary>
    public static IReadOnlyList<BadMessage> Bytes { get; } =
    [
        new("invalid-utf8", [.. "{\"MessageId\":\"a\",\"Payload\":\""u8, 0xC3, 0x28, .. "\"}"u8]),
        new("invalid-utf8", [.. "{\"MessageId\":\""u8, 0xED, 0xA0, 0x80, .. "\"}"u8]),
    ];
}
