using System.Text.Json.Serialization;

namespace ElasticsearchServer;

/// <summary>What goes wrong with one bulk request. "Committed" means that its documents are indexed.</summary>
[JsonConverter(typeof(JsonStringEnumConverter<ServerFault>))]
internal enum ServerFault
{
    None = 0,

    /// <summary>The whole request is answered with the rule's status and an error of its type; not committed.</summary>
    Answer,

    /// <summary>The rule's items fail with its status and type; the others are committed.</summary>
    FailItems,

    /// <summary>Read whole, then no answer until the client disconnects; not committed.</summary>
    HangBeforeCommit,

    /// <summary>The connection is reset before the body is read; not committed.</summary>
    ResetBeforeCommit,

    /// <summary>Committed, then the connection is reset without a byte of the answer.</summary>
    CommitThenReset,

    /// <summary>Committed, then no answer until the client disconnects.</summary>
    CommitThenHang,

    /// <summary>Committed, then half of the answer's bytes and a reset.</summary>
    CommitThenCut,

    /// <summary>Committed, and the answer is valid HTTP with only half of the JSON.</summary>
    HalfJson,

    /// <summary>Committed, and the answer lacks its last item.</summary>
    FewerItems,

    /// <summary>Committed, and the answer repeats its last item.</summary>
    MoreItems,

    /// <summary>Committed, and the answer's items are in reverse order, as if for another request.</summary>
    OtherOrder,

    /// <summary>Committed, and answered with 200 and an HTML page.</summary>
    Page,
}
