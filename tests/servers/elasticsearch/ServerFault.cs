using System.Text.Json.Serialization;

namespace ElasticsearchServer;

/// <summary>What goes wrong with one bulk request. "Commit" is what the request does: its documents are indexed.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<ServerFault>))]
internal enum ServerFault
{
    None = 0,

    /// <summary>The whole request is answered with the rule's status and an error of its type; not committed.</summary>
    Answer,

    /// <summary>The rule's items fail with its status and type; the others are committed.</summary>
    FailItems,

    /// <summary>Read whole, then nothing until the client goes away; not committed.</summary>
    HangBeforeCommit,

    /// <summary>The connection is reset before the body is read; not committed.</summary>
    ResetBeforeCommit,

    /// <summary>Committed, then the connection is reset without a byte of the answer.</summary>
    CommitThenReset,

    /// <summary>Committed, then nothing until the client goes away.</summary>
    CommitThenHang,

    /// <summary>Committed, then half of the answer's bytes and a reset.</summary>
    CommitThenCut,

    /// <summary>Committed, and the answer ends early, but properly as HTTP: half of the JSON.</summary>
    HalfJson,

    /// <summary>Committed, and the answer lacks its last item.</summary>
    FewerItems,

    /// <summary>Committed, and the answer repeats its last item.</summary>
    MoreItems,

    /// <summary>Committed, and the answer's items are in the opposite order, as of another request.</summary>
    OtherOrder,

    /// <summary>Committed, and answered 200 with a page of HTML.</summary>
    Page,
}
