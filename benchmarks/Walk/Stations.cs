namespace Benchmarks.Walk;

/// <summary>
/// The way of a message from SQS to S3, in order. A type that several stations use stands at the first of them. A test holds the types
/// against the product's, and another holds them against those that a message really passes.
/// </summary>
internal static class Stations
{
    public static IReadOnlyList<Station> All { get; } =
    [
        new(
            "receive",
            "Several loops ask the queue. Each round reserves slots, makes one long-poll call for up to ten messages and passes them to the intake.",
            "Quayside.Messaging.Aws.Sqs.SqsMessageSource",
            "Quayside.Messaging.Aws.Sqs.SqsSourceOptions",
            "Quayside.Messaging.Aws.Sqs.SqsQueues"),
        new(
            "reserve",
            "The intake leases slots before the call, so that every message that arrives has a slot. A loop waits here while all slots are in use.",
            "Quayside.Messaging.Intake.SlotRequest",
            "Quayside.Messaging.Tasks.PooledOperation",
            "Quayside.Messaging.Intake.SlotLimit",
            "Quayside.Messaging.Intake.IntakeOptions",
            "Quayside.Messaging.Sources.SlotLease",
            "Quayside.Messaging.Sources.LeasedSlots"),
        new(
            "call",
            "The request is written as JSON into a pooled buffer and sent. Deletes use the same client.",
            "Quayside.Messaging.Aws.Sqs.Wire.SqsClient",
            "Quayside.Messaging.Aws.AwsTransport",
            "Quayside.Messaging.Aws.Sqs.Wire.SqsRequestWriter",
            "Quayside.Messaging.Aws.Sqs.Wire.SqsWireOptions",
            "Quayside.Messaging.Aws.Sqs.Wire.SqsOperation",
            "Quayside.Messaging.Aws.BorrowedContent",
            "Quayside.Pipeline.Buffers.PooledBuffer",
            "Quayside.Pipeline.Buffers.BufferPool",
            "Quayside.Pipeline.Buffers.BoundedPool"),
        new(
            "sign",
            "AWS Signature Version 4, with a key that is derived once per day. The PUT uses the same signer.",
            "Quayside.Messaging.Aws.SigV4Signer",
            "Quayside.Messaging.Aws.SigV4Header",
            "Quayside.Messaging.Aws.AwsCredentialSource",
            "Quayside.Messaging.Aws.SigningCredentials",
            "Quayside.Messaging.Aws.AwsClock"),
        new(
            "count",
            "Each call is counted, because it is billed.",
            "Quayside.Messaging.Costs.ApiCalls",
            "Quayside.Messaging.Costs.ApiCounter",
            "Quayside.Messaging.Costs.ApiOperation"),
        new(
            "parse",
            "The answer is read once, in place. Each message becomes offsets into the batch's buffer, which lives until the last of its messages is settled.",
            "Quayside.Messaging.Aws.Sqs.Wire.ReceiveResponseReader",
            "Quayside.Messaging.Aws.Sqs.Wire.ReceiveBatch",
            "Quayside.Messaging.Aws.Sqs.Wire.WireText",
            "Quayside.Messaging.Json.JsonEscapes",
            "Quayside.Messaging.Aws.Sqs.Wire.ResponseArrays"),
        new(
            "registry",
            "The source knows the messages in flight and the ids that were finished last. A second delivery of either is not processed. Renewals and deletes take the newest receipt handle from here.",
            "Quayside.Messaging.Aws.Sqs.InFlightMessages"),
        new(
            "accept",
            "The message takes one of the leased slots, and is refused if it is too large. From here on the slot owns it, until it is settled.",
            "Quayside.Messaging.Intake.MessageIntake",
            "Quayside.Messaging.Aws.Sqs.Wire.SqsReceivedMessage",
            "Quayside.Pipeline.Messages.ReceivedMessage"),
        new(
            "pump",
            "A work item of the thread pool runs the slots of a batch one after another.",
            "Quayside.Messaging.Intake.SlotPump",
            "Quayside.Messaging.Intake.MessageSlot"),
        new(
            "chain",
            "The route's parts run in order: trace, archive, store.",
            "Quayside.Pipeline.Execution.ComposedPipeline",
            "Quayside.Pipeline.Contexts.ContextPool",
            "Quayside.Pipeline.Contexts.PipelineContext",
            "Quayside.Pipeline.Contexts.PhysicalContext",
            "Quayside.Messaging.Stages.TracingBehavior",
            "Quayside.Messaging.Telemetry.MessageSpans"),
        new(
            "header",
            "One pass over the JSON body finds the values that the key needs, and checks the whole body.",
            "Quayside.Messaging.Archive.ArchiveConnector",
            "Quayside.Messaging.Archive.ArchiveContext",
            "Quayside.Messaging.Archive.Headers.ArchiveHeaderReader",
            "Quayside.Messaging.Archive.Headers.ArchiveHeader",
            "Quayside.Messaging.Archive.Headers.HeaderNode",
            "Quayside.Messaging.Archive.Headers.HeaderDate",
            "Quayside.Messaging.Json.JsonScanner",
            "Quayside.Messaging.Json.JsonText"),
        new(
            "key",
            "The template's segments and those values make the object's key.",
            "Quayside.Messaging.Archive.ObjectKeys.KeyTemplate",
            "Quayside.Messaging.Archive.ObjectKeys.KeySegment",
            "Quayside.Messaging.Archive.ObjectKeys.KeyPart",
            "Quayside.Messaging.Archive.ObjectKeys.KeyPartMonitor"),
        new(
            "retry",
            "The S3 sink retries a failed PUT by itself, within a budget that the messages share.",
            "Quayside.Messaging.Recoverability.RetryBudget"),
        new(
            "store",
            "The last part of the chain gives body and key to the sink. The sink makes its attempts within one total time and returns the outcome as a value.",
            "Quayside.Messaging.Archive.StoreTerminator",
            "Quayside.Messaging.Handlers.ObjectStore",
            "Quayside.Messaging.Aws.S3.Sink.S3Sink",
            "Quayside.Messaging.Aws.S3.S3Fault",
            "Quayside.Messaging.Sinks.ObjectProperties",
            "Quayside.Messaging.Sinks.SinkResult"),
        new(
            "PUT",
            "One conditional PUT per message: S3 refuses it if the key exists, and then the bytes are compared.",
            "Quayside.Messaging.Aws.S3.Sink.Direct.DirectRequests",
            "Quayside.Messaging.Aws.S3.Sink.Direct.PutRequest",
            "Quayside.Messaging.Aws.S3.Sink.Direct.PutSigner",
            "Quayside.Messaging.Aws.S3.Sink.Direct.BucketAddress"),
        new(
            "suspend",
            "No thread waits for S3. Each method that awaits the answer is kept in a pooled frame until it arrives.",
            "Quayside.Pipeline.Frames.Frame",
            "Quayside.Pipeline.Frames.FramePool",
            "Quayside.Pipeline.Frames.FrameThread",
            "Quayside.Pipeline.Frames.PooledFrames",
            "Quayside.Pipeline.Frames.PooledAsyncMethodBuilder",
            "Quayside.Pipeline.Frames.StateMachineFrame"),
        new(
            "decide",
            "The outcome becomes a settlement: complete, abandon or dead-letter. The breaker learns whether the sink works.",
            "Quayside.Messaging.Recoverability.RecoverabilityPolicy",
            "Quayside.Pipeline.Settlements.Settlement",
            "Quayside.Messaging.Recoverability.CircuitBreaker"),
        new(
            "settle",
            "`MessageSlot` passes the settlement to `SqsMessageSource`, and becomes free when the source has taken it. Metrics count it.",
            "Quayside.Messaging.Telemetry.RouteMetrics",
            "Quayside.Messaging.Telemetry.StripedCounter"),
        new(
            "delete",
            "Completed messages wait up to 100 ms for nine others, then one call deletes them all. A message is finished when that call has succeeded for it.",
            "Quayside.Messaging.Aws.Sqs.SettleLoop",
            "Quayside.Messaging.Aws.Sqs.Wire.BatchResponseReader",
            "Quayside.Messaging.Aws.Sqs.Wire.BatchEntryResult"),
    ];

    public static Station? Of(string type) => All.FirstOrDefault(station => station.Types.Contains(type, StringComparer.Ordinal));
}
