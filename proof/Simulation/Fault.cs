using System.ComponentModel;

namespace Proof.Simulation;

/// <summary>
/// The faults that a world can meet. Faults of one place share a prefix. A world has one source and one store, so the faults of two sources never meet, nor
/// those of S3 and the folder.
/// </summary>
internal enum Fault
{
    [Description("S3: the request is lost, the connection breaks")]
    StoreLosesRequest,
    [Description("S3: the request is carried out, its answer is lost")]
    StoreLosesAnswer,
    [Description("S3: 503, 500 or 409 for one request")]
    StoreRefuses,
    [Description("S3: no answer, with or without effect")]
    StoreStalls,
    [Description("S3: 0.1 to 15 s for a request or an answer")]
    StoreIsSlow,
    [Description("S3: 503 for every request, up to 10 minutes")]
    StoreIsDown,
    [Description("S3: the object exists (412)")]
    StoreHasObject,
    [Description("sink: foreign code throws, before or after it has stored")]
    SinkThrows,
    [Description("sink: foreign code hangs, and may ignore its cancellation")]
    SinkHangs,
    [Description("source of foreign code: it throws after it has settled a message")]
    SourceThrows,
    [Description("source of foreign code: it cancels its wait for slots")]
    SourceWithdraws,
    [Description("folder: EIO for one call")]
    FolderFails,
    [Description("folder: a call hangs for up to 60 s")]
    FolderHangs,
    [Description("folder: 0.1 to 15 s for a call")]
    FolderIsSlow,
    [Description("folder: the disk is full, up to 10 minutes")]
    FolderIsFull,
    [Description("folder: the object exists")]
    FolderHasObject,
    [Description("folder: the power fails; what was not flushed is lost or cut short")]
    FolderLosesPower,
    [Description("Elasticsearch: the request is lost, the connection breaks")]
    IndexLosesRequest,
    [Description("Elasticsearch: the request is carried out, its answer is lost")]
    IndexLosesAnswer,
    [Description("Elasticsearch: 503, 429 or 502 for one request")]
    IndexRefuses,
    [Description("Elasticsearch: no answer, with or without effect")]
    IndexStalls,
    [Description("Elasticsearch: 0.1 to 15 s for a request or an answer")]
    IndexIsSlow,
    [Description("Elasticsearch and the logs: 503 for every request, up to 10 minutes")]
    IndexIsDown,
    [Description("Elasticsearch: the document exists (409)")]
    IndexHasDocument,
    [Description("Elasticsearch: a document fails (429, or 503 although it is stored)")]
    IndexFailsDocument,
    [Description("Elasticsearch: it never accepts a document (400, or a failure store)")]
    IndexRefusesDocument,
    [Description("Elasticsearch: the request is too large (413)")]
    IndexRefusesSize,
    [Description("log: 503 for one request")]
    IndexLogIsRefused,
    [Description("log: the connection breaks before or within the object")]
    IndexLogBreaks,
    [Description("log: no answer, or the rest of the object never comes")]
    IndexLogStalls,
    [Description("log: it does not exist")]
    IndexLogIsMissing,
    [Description("dead letters beside S3 or Elasticsearch: the disk is full")]
    DiskIsFull,
    [Description("message: cut off, so that it is poison")]
    MessageIsPoison,
    [Description("message: another one has its id")]
    MessageCollides,
    [Description("process: SIGKILL, and a restart")]
    ProcessIsKilled,
    [Description("process: SIGTERM with a drain timeout of 0 to 30 s, and a restart")]
    ProcessIsStopped,
    [Description("process: a second one on the queue")]
    ProcessIsSecond,
    [Description("clock: set forward, up to 2 hours")]
    ClockForward,
    [Description("clock: set back, up to 2 hours")]
    ClockBack,
    [Description("SQS: the request is lost, the connection breaks")]
    SqsLosesRequest,
    [Description("SQS: the call is carried out, its answer is lost")]
    SqsLosesAnswer,
    [Description("SQS: a server error or throttling for one call")]
    SqsRefuses,
    [Description("SQS: no answer, with or without effect")]
    SqsStalls,
    [Description("SQS: 0.1 to 15 s for a request or an answer")]
    SqsIsSlow,
    [Description("SQS: an entry of a batch fails")]
    SqsFailsEntry,
    [Description("SQS: a message in flight is delivered again")]
    SqsDeliversTwice,
    [Description("SQS: redrive moves the dead letters to the queue")]
    SqsIsRedriven,
    [Description("SQS: redrive is killed, or interrupted by a signal")]
    SqsRedriveIsEnded,
    [Description("SQS: a receipt handle is out of date")]
    SqsHandleIsOld,
    [Description("Service Bus: the connection breaks, without effect")]
    BusBreaks,
    [Description("Service Bus: the call is carried out, its answer is lost")]
    BusLosesAnswer,
    [Description("Service Bus: 0.1 to 15 s for a request or an answer")]
    BusIsSlow,
    [Description("Service Bus: a receive fails")]
    BusFailsReceive,
    [Description("Service Bus: a locked message never arrives")]
    BusLosesMessage,
    [Description("Service Bus: a body that is neither bytes nor text")]
    BusBodyIsForeign,
    [Description("Service Bus: the lock is lost")]
    BusLockIsLost,
    [Description("HTTP: the connection breaks within the body")]
    HttpBreaks,
    [Description("HTTP: the rest of the body never comes")]
    HttpStalls,
    [Description("HTTP: 1 to 60 s within the body")]
    HttpIsSlow,
    [Description("HTTP: the answer is lost")]
    HttpLosesAnswer,
    [Description("TCP: the connection breaks within the lines")]
    TcpBreaks,
    [Description("TCP: the rest of the lines never comes")]
    TcpStalls,
    [Description("TCP: 1 to 60 s within the lines")]
    TcpIsSlow,
    [Description("TCP: the answers are lost")]
    TcpLosesAnswer,
}
