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
            "Messaging.Aws.Sqs.SqsMessageSource",
            "Messaging.Aws.Sqs.SqsSourceOptions",
            "Messaging.Aws.Sqs.SqsQueues"),
        new(
            "reserve",
            "The intake leases slots before the call, so that every message that arrives has a slot. A loop waits here while all slots are in use.",
            "Messaging.Intake.SlotRequest",
            "Messaging.Tasks.PooledOperation",
            "Messaging.Intake.SlotLimit",
            "Messaging.Intake.IntakeOptions",
            "Messaging.Sources.SlotLease",
            "Messaging.Sources.LeasedSlots"),
        new(
            "call",
            "The request is written as JSON into a pooled buffer and sent. Deletes use the same client.",
            "Messaging.Aws.Sqs.Wire.SqsClient",
            "Messaging.Aws.AwsTransport",
            "Messaging.Aws.Sqs.Wire.SqsRequestWriter",
            "Messaging.Aws.Sqs.Wire.SqsWireOptions",
            "Messaging.Aws.Sqs.Wire.SqsOperation",
            "Messaging.Aws.BorrowedContent",
            "Pipeline.Buffers.PooledBuffer",
            "Pipeline.Buffers.BufferPool",
            "Pipeline.Buffers.BoundedPool"),
        new(
            "sign",
            "AWS Signature Version 4, with a key that is derived once per day. The PUT uses the same signer.",
            "Messaging.Aws.SigV4Signer",
            "Messaging.Aws.SigV4Header",
            "Messaging.Aws.AwsCredentialSource",
            "Messaging.Aws.SigningCredentials",
            "Messaging.Aws.AwsClock"),
        new(
            "count",
            "Each call is counted, because it is billed.",
            "Messaging.Costs.ApiCalls",
            "Messaging.Costs.ApiCounter",
            "Messaging.Costs.ApiOperation"),
        new(
            "parse",
            "The answer is read once, in place. Each message becomes offsets into the batch's buffer, which lives until the last of its messages is settled.",
            "Messaging.Aws.Sqs.Wire.ReceiveResponseReader",
            "Messaging.Aws.Sqs.Wire.ReceiveBatch",
            "Messaging.Aws.Sqs.Wire.WireText",
            "Messaging.Json.JsonEscapes",
            "Messaging.Aws.Sqs.Wire.ResponseArrays"),
        new(
            "registry",
            "The source knows the messages in flight and the ids that were finished last. A second delivery of either is not processed. Renewals and deletes take the newest receipt handle from here.",
            "Messaging.Aws.Sqs.InFlightMessages"),
        new(
            "accept",
            "The message takes one of the leased slots, and is refused if it is too large. From here on the slot owns it, until it is settled.",
            "Messaging.Intake.MessageIntake",
            "Messaging.Aws.Sqs.Wire.SqsReceivedMessage",
            "Pipeline.Messages.ReceivedMessage"),
        new(
            "pump",
            "A work item of the thread pool runs the slots of a batch one after another.",
            "Messaging.Intake.SlotPump",
            "Messaging.Intake.MessageSlot"),
        new(
            "chain",
            "The route's parts run in order: trace, archive, store.",
            "Pipeline.Execution.ComposedPipeline",
            "Pipeline.Contexts.ContextPool",
            "Pipeline.Contexts.PipelineContext",
            "Pipeline.Contexts.PhysicalContext",
            "Messaging.Stages.TracingBehavior",
            "Messaging.Telemetry.MessageSpans"),
        new(
            "header",
            "One pass over the JSON body finds the values that the key needs, and checks the whole body.",
            "Messaging.Archive.ArchiveConnector",
            "Messaging.Archive.ArchiveContext",
            "Messaging.Archive.Headers.ArchiveHeaderReader",
            "Messaging.Archive.Headers.ArchiveHeader",
            "Messaging.Archive.Headers.HeaderNode",
            "Messaging.Archive.Headers.HeaderDate",
            "Messaging.Json.JsonScanner",
            "Messaging.Json.JsonText"),
        new(
            "key",
            "The template's segments and those values make the object's key.",
            "Messaging.Archive.ObjectKeys.KeyTemplate",
            "Messaging.Archive.ObjectKeys.KeySegment",
            "Messaging.Archive.ObjectKeys.KeyPart",
            "Messaging.Archive.ObjectKeys.KeyPartMonitor"),
        new(
            "retry",
            "The S3 sink retries a failed PUT by itself, within a budget that the messages share.",
            "Messaging.Recoverability.RetryBudget"),
        new(
            "store",
            "The last part of the chain gives body and key to the sink. The sink makes its attempts within one total time and returns the outcome as a value.",
            "Messaging.Archive.StoreTerminator",
            "Messaging.Handlers.ObjectStore",
            "Messaging.Aws.S3.Sink.S3Sink",
            "Messaging.Aws.S3.S3Fault",
            "Messaging.Sinks.ObjectProperties",
            "Messaging.Sinks.SinkResult"),
        new(
            "PUT",
            "One conditional PUT per message: S3 refuses it if the key exists, and then the bytes are compared.",
            "Messaging.Aws.S3.Sink.Direct.DirectRequests",
            "Messaging.Aws.S3.Sink.Direct.PutRequest",
            "Messaging.Aws.S3.Sink.Direct.PutSigner",
            "Messaging.Aws.S3.Sink.Direct.BucketAddress"),
        new(
            "suspend",
            "No thread waits for S3. Each method that awaits the answer is kept in a pooled frame until it arrives.",
            "Pipeline.Frames.Frame",
            "Pipeline.Frames.FramePool",
            "Pipeline.Frames.FrameThread",
            "Pipeline.Frames.PooledFrames",
            "Pipeline.Frames.PooledAsyncMethodBuilder",
            "Pipeline.Frames.StateMachineFrame"),
        new(
            "decide",
            "The outcome becomes a settlement: complete, abandon or dead-letter. The breaker learns whether the sink works.",
            "Messaging.Recoverability.RecoverabilityPolicy",
            "Pipeline.Settlements.Settlement",
            "Messaging.Recoverability.CircuitBreaker"),
        new(
            "settle",
            "`MessageSlot` passes the settlement to `SqsMessageSource`, and becomes free when the source has taken it. Metrics count it.",
            "Messaging.Telemetry.RouteMetrics",
            "Messaging.Telemetry.StripedCounter"),
        new(
            "delete",
            "Completed messages wait up to 100 ms for nine others, then one call deletes them all. A message is finished when that call has succeeded for it.",
            "Messaging.Aws.Sqs.SettleLoop",
            "Messaging.Aws.Sqs.Wire.BatchResponseReader",
            "Messaging.Aws.Sqs.Wire.BatchEntryResult"),
    ];

    public static Station? Of(string type) => All.FirstOrDefault(station => station.Types.Contains(type, StringComparer.Ordinal));
}
